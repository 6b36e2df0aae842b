"""Paragraphs in other languages, and English of odd kinds."""

FOREIGN = {
    "German": """Am Morgen ging der alte Fischer wieder zum Hafen hinunter, obwohl seine Tochter ihn gebeten hatte,
        bei diesem Wetter zu Hause zu bleiben. Er hatte das Boot von seinem Vater geerbt und wollte es nicht
        verkaufen, auch wenn niemand mehr von der Arbeit auf dem Meer leben konnte. Als er zurückkam,
        wartete sie am Ufer auf ihn.""",
    "French": """Le matin, la vieille dame descendait au marché avec son panier, et elle y restait jusqu'à midi pour
        parler avec les marchands qui la connaissaient depuis toujours. Son fils lui avait dit de ne plus
        porter des sacs si lourds, mais elle ne l'écoutait pas, parce que c'était pour elle le meilleur
        moment de la journée.""",
    "Spanish": """El maestro llegó al pueblo en el otoño, cuando ya no quedaba nadie en los campos, y los niños lo
        miraban desde las ventanas sin decir nada. Su mujer se había quedado en la ciudad con la hija
        pequeña, pero él les escribía todos los días una carta muy larga en la que contaba lo que había
        visto por el camino.""",
    "Italian": """Il medico tornò a casa quando era già notte, perché la strada che portava al paese era coperta di
        neve e il cavallo non voleva più andare avanti. Sua sorella lo aspettava accanto al fuoco con una
        lettera che era arrivata quella mattina, e non sapeva se doveva dargliela subito oppure dopo la
        cena.""",
    "Dutch": """De molenaar had een zoon die niet wilde werken, en daarom stuurde hij hem naar zijn broer in de
        stad, waar hij een vak zou leren. In het begin was hij daar niet gelukkig, want niemand had tijd
        voor hem, maar na een paar weken kende hij alle straten en wilde hij nooit meer terug naar het dorp.""",
    "Russian": """Утром старик вышел из дома и долго смотрел на реку, потому что лодка его сына ещё не вернулась.
        Соседи говорили, что ночью был сильный ветер, но он никому не верил и ждал до самого вечера.""",
}

ODD_ENGLISH = {
    "typos": """freind jessica losst her fone yestrday an she wuz rly upset cuz teh phone had all hr pics on it lol
        so we wnt bak to teh park 2 look 4 it an guess wat sum1 had fond it under da bench an gave it bak 2
        her omg""",
    "Scots": """Wee, sleekit, cow'rin, tim'rous beastie, O, what a panic's in thy breastie! Thou need na start awa
        sae hasty, Wi' bickering brattle! I wad be laith to rin an' chase thee, Wi' murdering pattle! I'm
        truly sorry man's dominion Has broken nature's social union, An' justifies that ill opinion""",
    "Chaucer": """Whan that Aprille with his shoures soote The droghte of March hath perced to the roote, And bathed
        every veyne in swich licour Of which vertu engendred is the flour; Whan Zephirus eek with his sweete
        breeth Inspired hath in every holt and heeth The tendre croppes, and the yonge sonne""",
    "names": ", ".join(["Maria de la Cruz", "Juan de los Santos", "Jan van der Berg", "Anna von Hagen und Roth"] * 12),
    "places": "Avenue de la République, Rue du Faubourg, Place des Vosges, Boulevard de la Tour, Rue de Paris, " * 6,
    "code": "def f(self, a, b): for i in range(n): if a is not None and b in c: return a else: raise ValueError(e) "
    * 8,
    "table": "GDP 2019 12.4 France 3.1 Germany 4.2 Spain 1.9 Italy 2.0 Netherlands 0.9 per capita total n/a " * 8,
    "recipe": "2 cups flour, 1 tsp salt, 3 large eggs, 200 g butter, 1 l milk, sugar, lemon zest, fresh mint, cream "
    * 6,
    "telegram": "ARRIVED SAFELY STOP SEND MONEY STOP HOTEL FULL STOP WEATHER BAD STOP LOVE TO MOTHER STOP JOHN " * 6,
    "menu": "Filet de boeuf au poivre, coq au vin, crème brûlée, tarte au citron, pâté de campagne, salade niçoise. "
    * 5,
    "quotation": """The motto over the door was in Latin, and nobody could read it: "Non omnis moriar multaque pars
        mei". The vicar said that it was "la belle langue de la vieille France, et pour les enfants", and he
        laughed at us until we had gone down the lane and were out of sight, and then he went in and shut
        the door.""",
    "letters": "𝓣𝓱𝓮 𝓬𝓪𝓹𝓽𝓪𝓲𝓷 𝓼𝓪𝔀 𝓱𝓲𝓼 𝓭𝓪𝓾𝓰𝓱𝓽𝓮𝓻 𝓲𝓷 𝓽𝓱𝓮 𝓰𝓪𝓻𝓭𝓮𝓷 𝓪𝓷𝓭 𝓬𝓪𝓵𝓵𝓮𝓭 𝓱𝓮𝓻. " * 6,
    "short": "Er ging nach Hause, und sie blieb am Ufer.",
}

"""Settings of components: the keyword arguments of a constructor, which are checked whenever they are set."""

from __future__ import annotations

import gc
import inspect
import re
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from math import isclose
from typing import Annotated, Any, ClassVar, cast, get_type_hints

import srsly
from pydantic import BaseModel, ConfigDict, Field, create_model
from thinc.api import Config

from ..signatures import CHECKED, naming

Share = Annotated[float, Field(ge=0, le=1)]
NotNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]


CFG = "cfg"
"""spaCy's name for the file of what a component saves beside its weights and its config."""

CONFIGURED = "configured"
"""The name in it of the settings that have changed since the component was created, with what they were then."""


class HasSettings:
    """A component whose settings are the keyword arguments of its constructor, and attributes of the same names.

    To set one checks it against the annotation of the argument, wherever that is done.
    """

    name: str
    former: ClassVar[tuple[str, ...]] = ()
    """Arguments that earlier versions saved, and that are accepted without being settings."""
    keys: ClassVar[tuple[str, ...]] = ()
    """The settings that are keys of `doc.spans`."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in defaults(type(self)):
            is_made = "_configured" in vars(self)  # before that, settings are checked together when all are known
            value = self._check({name: value})[name] if is_made else self._checked(name, value)
        super().__setattr__(name, value)

    @property
    def cfg(self) -> dict[str, Any]:
        """The settings by name, as spaCy's commands read and set them: `cfg["threshold"] = 0.6` is checked, too."""
        return _Cfg(self)

    @cfg.setter
    def cfg(self, settings: Mapping[str, Any]) -> None:
        self.configure(**settings)

    def configure(self, **settings: Any) -> None:
        """Change settings. What was changed is saved with the component.

        RAISES (ValueError): If there is no such setting, or it can't have this value; then nothing changes.
        """
        vars(self).update(self._check(settings))

    def _check(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        known = defaults(type(self))
        for name in settings:
            if name not in known:
                raise ValueError(f"'{self.name}' has no setting '{name}'; expected some of {', '.join(known)}.")
        checked = {name: self._checked(name, value) for name, value in settings.items()}
        self._check_keys({**self.cfg, **checked})
        return checked

    def _remember_settings(self) -> None:
        """Check the settings together, and take them for those of the config; the last step of a constructor."""
        self._check_keys(self.cfg)
        self._configured = deepcopy(dict(self.cfg))

    def _saved(self) -> dict[str, Any]:
        """What the config of a pipeline does not have: settings that have changed since they were those of the config,
        and what they were."""
        changed = {name: value for name, value in self.cfg.items() if value != self._configured[name]}
        return {**changed, CONFIGURED: {name: self._configured[name] for name in changed}}

    def _take_over(self, saved: bytes | str, source: str) -> None:
        """Take over what was saved, if all of it is good.

        A setting that is not what the saved component had been created with was changed by whoever loads it, and stays.
        """
        content = read_saved(saved, self.name, source, [*self.cfg, *self.former, *self._saved()])
        with naming_what_is_loaded(self.name, source):
            configured = content.get(CONFIGURED, {}).items()
            same = [name for name, before in configured if name in self.cfg and _is_same(self.cfg[name], before)]
            checked = self._check({name: content[name] for name in same})
            self._take_over_more(content)
            vars(self).update(checked)

    def _take_over_more(self, content: dict[str, Any]) -> None:
        """Take over what was saved beside settings.

        RAISES (ValueError): If something is not good; then nothing changes.
        """

    def _checked(self, name: str, value: Any) -> Any:
        holder = _read_constructor(cast(Hashable, type(self)))[1].model_construct()
        with naming(repr(self.name)):
            setattr(holder, name, value)
        return getattr(holder, name)

    def _check_keys(self, settings: Mapping[str, Any]) -> None:
        """Raise a ValueError if a key names a group that another one names, or that of a cluster or frame."""
        keys = {setting: settings[setting] for setting in self.keys}
        prefix = settings.get("prefix")
        numbered = re.compile(rf"{re.escape(prefix)}_\d+" if prefix is not None else r"(?!)")
        if len({*keys.values()}) < len(keys) or any(map(numbered.fullmatch, keys.values())):
            named = " and ".join(f"'{setting}' {key!r}" for setting, key in {"prefix": prefix, **keys}.items())
            raise ValueError(
                f"'{self.name}' would read what it has written: {named} name the same groups of doc.spans. Give each "
                "a name of its own."
            )


@contextmanager
def naming_what_is_loaded(component: str, source: str) -> Iterator[None]:
    """Let errors about the files of a component name it, and where they are."""
    collects = gc.isenabled()
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # what damaged bytes make Thinc raise
        if collects:
            gc.enable()  # srsly turns it off to unpack bytes, and on again if it could
        raise ValueError(f"Can't load '{component}' from {source}: {error}") from error


def read_saved(saved: bytes | str, component: str, source: str, known: list[str]) -> dict[str, Any]:
    """Read the JSON object, with no other names than these, that a component has saved beside its weights."""
    try:
        content = srsly.json_loads(saved)
    except ValueError as error:
        raise ValueError(
            f"Can't load '{component}': {source} is not JSON: {error}. Save the pipeline again."
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get(CONFIGURED, {}), dict):
        raise ValueError(f"Can't load '{component}': {source} has {str(content)[:60]}; expected a JSON object.")
    if unknown := [name for name in content if name not in known]:
        raise ValueError(
            f"Can't load '{component}' from {source}: there is no setting {unknown[0]!r}; expected some of "
            f"{', '.join(known)}. A newer version of spacy-span-selector may have saved it: install that."
        )
    return content


def _is_same(value: Any, saved: Any) -> bool:
    """Check whether a setting is what it was: JSON does not have all digits of a number."""
    return isclose(value, saved) if isinstance(value, float) and isinstance(saved, float) else bool(value == saved)


class _Cfg(dict[str, Any]):
    """The settings of a component; to set one sets that of the component."""

    def __init__(self, pipe: HasSettings) -> None:
        super().__init__({name: getattr(pipe, name) for name in defaults(type(pipe))})
        self._pipe = pipe

    def __setitem__(self, name: str, value: Any) -> None:
        self._pipe.configure(**{name: value})
        super().__setitem__(name, getattr(self._pipe, name))

    def update(self, *settings: Any, **named: Any) -> None:
        for name, value in dict(*settings, **named).items():
            self[name] = value

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"'{self._pipe.name}' needs its setting '{name}'.")


def defaults(component: type[HasSettings]) -> dict[str, Any]:
    """The settings of a component and their defaults, in the order of its constructor."""
    return _read_constructor(cast(Hashable, component))[0]


@cache
def _read_constructor(component: Any) -> tuple[dict[str, Any], type[BaseModel]]:
    """The defaults of settings, and a model of pydantic that checks them."""
    arguments = inspect.signature(component).parameters.values()
    keywords = (argument for argument in arguments if argument.kind is argument.KEYWORD_ONLY)
    found = {a.name: a.default for a in keywords if a.name not in ("scorer", *component.former)}
    hints = get_type_hints(component.__init__, include_extras=True)
    fields: dict[str, Any] = {name: (hints[name], default) for name, default in found.items()}
    config = ConfigDict(**CHECKED, validate_assignment=True)
    return found, create_model(component.__name__, __config__=config, **fields)


TOK2VEC = """
[tok2vec]
@architectures = "spacy.Tok2Vec.v2"

[tok2vec.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = 96
rows = [5000, 1000, 2500, 1000]
attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
include_static_vectors = false

[tok2vec.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 96
window_size = 1
maxout_pieces = 3
depth = 4
"""
"""The encoder that a component has by default: small, and its own."""


def default_model(architecture: str) -> dict[str, Any]:
    """The default model of a component: its architecture, and the default encoder."""
    return {"@architectures": architecture, **Config().from_str(TOK2VEC)}

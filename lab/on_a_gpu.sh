#!/usr/bin/env bash
# All that is to be measured once a GPU is at hand, the most important first: each step writes a file, and none stops the others.
#   bash lab/on_a_gpu.sh OUT DATA.spacy MODEL...
# GPU=-1 does the same on a CPU, to try it out.
set -uo pipefail
if [ $# -lt 3 ]; then
    sed -n '2,4s/^# *//p' "$0"
    exit 2
fi
out=$1 data=$2 gpu=${GPU:-0}
shift 2
mkdir -p "$out"

step() { # NAME COMMAND...: its output in OUT/NAME.txt
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$out/$name.txt" 2>&1; then state=done; else state=FAILED; fi
    echo "$name: $state, $((SECONDS - start)) s"
}

step smoke python -c "
import sys, spacy, torch
gpu, *models = sys.argv[1:]
int(gpu) < 0 or spacy.require_gpu(int(gpu))
print(torch.__version__, torch.cuda.is_available() and torch.cuda.get_device_name(int(gpu)))
for model in models:
    doc = spacy.load(model)('Ann saw her brother. He waved to her.')
    print(model, dict(doc.spans))
" "$gpu" "$@"
step tests python -m pytest -q -k "$([ "$gpu" -lt 0 ] && echo cpu || echo cuda)" tests/wcfg tests/layers
step kernels_plain python -m lab wcfg --gpu-id "$gpu" --plain
step annotate python -m lab annotate "$data" "$@" --gpu-id "$gpu" --repeats 3 --words 2000,20000 --sentence-words 25,100
for model in "$@"; do
    step "profile_$(basename "$model")" python -m lab profile "$data" "$model" --gpu-id "$gpu" --repeats 3
done
step train_step python -m lab train-step "$data" "$@" --gpu-id "$gpu" --words 640,2000,8000 --repeats 3
step kernels python -m lab wcfg --gpu-id "$gpu"

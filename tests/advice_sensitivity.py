# SPDX-License-Identifier: Apache-2.0
"""advice_sensitivity.py TT_PERF FOLDER - does the score of advice depend on its constants? See docs/advice.md.

Each constant of the table for `--boards` (op_...) is changed by -20 % and +20 %, and the pairs are scored again. Then each
model is held out: constants that come from its pairs alone are replaced by what is known without them (no gain), and its
pairs are scored. Constants of the cost model have errors of fits that left the model out (docs/config.md).
"""
import os
import sys
import tempfile

import advice_score

CONSTANTS = {
    "op_floor_eltwise": 2, "op_floor_norm": 6, "op_floor_attention": 7.6, "op_floor_collective": 8, "op_near_floor": 1.5,
    "op_norm_tile": 0.03, "op_dram_sharded": 83, "op_dram_tuned": 66, "op_flops_tuned": 65, "op_attention_factor": 9,
    "op_sdpa_prefill": 0.37, "op_sdpa_decode": 0.35, "op_hidden": 0.3,
    "op_async_workers": 0.2,
}
# Constants that pairs of one model gave, and what is known without that model: a change whose gain nobody measured brings
# next to nothing, the floor of a norm and its tiles are the largest that
# rows of other models have.
HELD_OUT = {
    "llama-3.1-70b": {"op_sdpa_decode": 0.0001},
    "llama-3.1-8b-bh": {"op_floor_collective": 8},
    "muse-glimmer-30b": {"op_async_workers": 0.0001, "op_sdpa_prefill": 0.0001, "op_floor_norm": 9, "op_norm_tile": 0.04},
    "north-mini-code": {},
    "llama-3.1-8b": {"op_floor_norm": 6},
}


def with_constants(program, folder, values):
    with tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False) as file:
        for board in ("n150", "p150a"):
            file.write(f"[{board}]\n" + "".join(f"{name} = {value:.6g}\n" for name, value in values.items()))
    advice_score.BOARDS[:] = ["--boards", file.name]
    try:
        return advice_score.score(program, folder)
    finally:
        os.unlink(file.name)
        advice_score.BOARDS[:] = []


def figures(pairs, finals):
    gains = [p for p in pairs if p.row["type"] == "gain"]
    ratios = sorted(p.ratio for p in gains if p.ratio is not None)
    share = lambda test: 100 * sum(1 for p in gains if test(p.rank)) / len(gains)
    near = 100 * sum(1 for r in ratios if 0.67 <= r <= 1.5) / max(len(ratios), 1)
    leads = sum(p.sure > 0.01 * p.before for p in pairs if p.row["type"] == "neg")
    final = sorted(finals)[len(finals) // 2] if finals else 0
    middle = ratios[len(ratios) // 2] if ratios else 0
    return f"{share(lambda r: r == 1):5.1f} {share(lambda r: 0 < r <= 3):5.1f} {share(lambda r: r > 0):5.1f}  {middle:4.2f} {near:5.1f}  {final:4.1f}  {leads}"


def main():
    program, folder = sys.argv[1:3]
    print(f"{'constant':22} {'':5} hit@1 hit@3 named  ratio within final leads")
    pairs, finals, _ = advice_score.score(program, folder)
    print(f"{'as it is':22} {'':5} {figures(pairs, finals)}")
    for name, value in CONSTANTS.items():
        for factor in (0.8, 1.2):
            changed, after, _ = with_constants(program, folder, {name: value * factor})
            print(f"{name:22} {factor:5} {figures(changed, after)}", flush=True)
    print(f"\n{'model held out':22} pairs hit@1 hit@3 named  ratio within")
    for model, values in HELD_OUT.items():
        mine = [p for p in pairs if p.row["model"] == model]
        changed, _, _ = with_constants(program, folder, values)
        without = [p for p in changed if p.row["model"] == model]
        print(f"{model:22} {len(mine):5} {figures(mine, [])[:30]} with it\n{'':28} {figures(without, [])[:30]} without it", flush=True)


if __name__ == "__main__":
    main()

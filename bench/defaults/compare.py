#!/usr/bin/env python3
"""How near the settings that emgnn chooses by itself come to the best preset, on graphs without a name.

    bench/defaults/compare.py jobs GRAPHS [--methods gcn,em-gcn] [--runs N] [--emgnn PROGRAM]   > jobs.txt
    bench/defaults/compare.py run  GRAPHS OUT [same options] [--at-once N]
    bench/defaults/compare.py table OUT

GRAPHS is a folder of folders, as bench/defaults/make_graphs.py and `emgnn data export` write them. `jobs` prints
one command per line; `run` runs those whose answer is not yet in OUT; `table` prints the accuracy of each
preset, that of auto less the best, its time beside that of the preset it chose, and em-gcn less gcn.
"""
import argparse
import concurrent.futures
import json
import os
import shlex
import subprocess
import tempfile

PRESETS = ["auto", "none", "citation", "web", "plain", "dense", "deep", "heterogeneous"]


def graphs_of(folder):
    return sorted(d for d in os.listdir(folder) if os.path.exists(os.path.join(folder, d, "nodes.csv")))


def jobs_of(args):
    for graph in graphs_of(args.graphs):
        for method in args.methods.split(","):
            for preset in args.presets.split(","):
                yield graph, method, preset, [
                    args.emgnn, "train", "--dataset", os.path.join(args.graphs, graph), "--method", method,
                    "--preset", preset, "--set", "task=classes", "--runs", str(args.runs), "--threads", "1",
                    "--quiet", "--json"] + (["--hide-test"] if args.hide_test else [])


def run_one(out, graph, method, preset, command):
    path = os.path.join(out, f"{graph}.{method}.{preset}.json")
    if os.path.exists(path):
        return
    with tempfile.TemporaryFile("w+") as answers, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=answers, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status  # it has been waited for
        answers.seek(0)
        errors.seek(0)
        answer = json.load(answers) if status == 0 else {"error": errors.read().strip()}
    answer["user_seconds"] = usage.ru_utime
    with open(path + ".part", "w") as f:
        json.dump(answer, f)
    os.rename(path + ".part", path)


def table(out):
    cells = {}
    for name in sorted(os.listdir(out)):
        if not name.endswith(".json"):
            continue
        graph, method, preset = name[:-5].rsplit(".", 2)
        with open(os.path.join(out, name)) as f:
            cells[graph, method, preset] = json.load(f)

    def score(cell):
        return 100 * cell["mean"]["accuracy"] if cell and "mean" in cell else None

    def text(value, form="{:7.2f}"):
        return form.format(value) if value is not None else "      -"

    for method in sorted({m for _, m, _ in cells}):
        print(f"\n{method:18}" + "".join(f"{p[:7]:>8}" for p in PRESETS) + "    chosen  auto-best   time")
        for graph in sorted({g for g, m, _ in cells if m == method}):
            row = {p: cells.get((graph, method, p)) for p in PRESETS}
            values = {p: score(c) for p, c in row.items()}
            named = [v for p, v in values.items() if p not in ("auto", "none") and v is not None]
            chosen = row["auto"]["config"].get("preset", "-") if values["auto"] is not None else "-"
            gap = values["auto"] - max(named) if named and values["auto"] is not None else None
            alone = row.get(chosen)
            ratio = row["auto"]["user_seconds"] / alone["user_seconds"] if gap is not None and alone else None
            print(f"{graph:18}" + "".join(" " + text(values[p]) for p in PRESETS) +
                  f"  {chosen:>8}    {text(gap)} {text(ratio, '{:6.2f}')}")
    print("\nem-gcn less gcn, both with auto")
    for graph in sorted({g for g, _, _ in cells}):
        em, plain = (score(cells.get((graph, m, "auto"))) for m in ("em-gcn", "gcn"))
        if em is not None and plain is not None:
            print(f"{graph:18} {em - plain:+.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["jobs", "run", "table"])
    parser.add_argument("graphs", help="the folder of graphs; of table: OUT")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--methods", default="gcn,em-gcn")
    parser.add_argument("--presets", default=",".join(PRESETS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--emgnn", default="build/release/emgnn")
    parser.add_argument("--hide-test", action="store_true", help="validation scores, while settings are chosen")
    parser.add_argument("--at-once", type=int, default=1)
    args = parser.parse_args()
    if args.what == "table":
        return table(args.graphs)
    jobs = list(jobs_of(args))
    if args.what == "jobs":
        print("\n".join(shlex.join(command) for *_, command in jobs))
        return None
    if not args.out:
        parser.error("run needs OUT")
    os.makedirs(args.out, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(args.at_once) as pool:
        list(pool.map(lambda job: run_one(args.out, *job), jobs))
    return None


if __name__ == "__main__":
    main()

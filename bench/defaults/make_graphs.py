#!/usr/bin/env python3
"""Generated graphs for trying settings on data that nobody has tuned for.

    bench/defaults/make_graphs.py OUT SEED [NAME ...]

Writes OUT/NAME/{nodes.csv,edges.csv,features.mtx|features.npy} for each NAME (all without one). They differ in
size, degree, homophily, kind of features, number of edge types and labels. Needs the standard library only.
"""
import array
import os
import random
import sys

# nodes, classes, degree, homophily (share of an edge's ends in one class), features, train share or count per class
GRAPHS = {
    "coauthor": dict(n=4000, classes=12, degree=6, homophily=0.65, words=2000, per_node=30, signal=0.12, train=0.1),
    "product": dict(n=2500, classes=8, degree=24, homophily=0.45, words=500, per_node=50, signal=0.03, train=0.1),
    "few-labels": dict(n=3000, classes=6, degree=4, homophily=0.8, words=1000, per_node=15, signal=0.3, train=20),
    "pages": dict(n=1500, classes=5, degree=4, homophily=0.2, words=1500, per_node=60, signal=0.15, train=0.5),
    "opposites": dict(n=2500, classes=2, degree=8, homophily=0.1, words=500, per_node=10, signal=0.3, train=0.4),
    "sensors": dict(n=3000, classes=6, degree=8, homophily=0.7, numbers=32, noise=2.5, train=0.2),
    "dense-numbers": dict(n=2000, classes=4, degree=60, homophily=0.5, numbers=64, noise=3.0, train=0.3),
    "chains": dict(n=3000, classes=4, chain=30, numbers=16, noise=0.7, known=0.1, train=0.5),
    "relations": dict(n=2500, classes=4, degree=5, homophily=0.8, words=600, per_node=15, signal=0.25, train=0.1,
                      misleading=[4, 6]),
    "trust": dict(n=2500, classes=5, degree=3, homophily=0.75, words=400, per_node=12, signal=0.3, train=30,
                  misleading=[3], also=0.5),
}


def communities(rng, spec, homophily, degree, label):
    by_class = {}
    for i, c in enumerate(label):
        by_class.setdefault(c, []).append(i)
    others = {c: [i for i, k in enumerate(label) if k != c] for c in by_class}
    edges = set()
    wanted = int(spec["n"] * degree / 2)
    while len(edges) < wanted:
        i = rng.randrange(spec["n"])
        pool = by_class[label[i]] if rng.random() < homophily else others[label[i]]
        j = rng.choice(pool)
        if i != j:
            edges.add((min(i, j), max(i, j)))
    return sorted(edges)


def words_of(rng, spec, label):
    per_class = spec["words"] // spec["classes"]
    for c in label:
        row = set()
        while len(row) < spec["per_node"]:
            own = rng.random() < spec["signal"]
            row.add(c * per_class + rng.randrange(per_class) if own else rng.randrange(spec["words"]))
        yield sorted(row)


def numbers_of(rng, spec, label, known):
    centre = [[rng.gauss(0, 1) for _ in range(spec["numbers"])] for _ in range(spec["classes"])]
    for i, c in enumerate(label):
        mean = centre[c] if known[i] else [0.0] * spec["numbers"]
        yield [m + rng.gauss(0, spec["noise"]) for m in mean]


def split_of(rng, spec, label):
    order = list(range(spec["n"]))
    rng.shuffle(order)
    part = {}
    if spec["train"] >= 1:
        left = {c: spec["train"] for c in range(spec["classes"])}
        for i in order:
            if left[label[i]] > 0:
                left[label[i]] -= 1
                part[i] = "train"
    else:
        for i in order[: int(spec["n"] * spec["train"])]:
            part[i] = "train"
    rest = [i for i in order if i not in part]
    for i in rest[: max(300, spec["n"] // 8)]:
        part[i] = "validation"
    return [part.get(i, "test") for i in range(spec["n"])]


def write_npy(path, rows, cols, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, cols)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        out.write(array.array("f", values).tobytes())


def make(name, spec, out, seed):
    rng = random.Random(f"{name} {seed}")
    n = spec["n"]
    if "chain" in spec:  # a class per chain of nodes; few of them show it
        label = []
        for _ in range(n // spec["chain"]):
            label += [rng.randrange(spec["classes"])] * spec["chain"]
        relations = [("link", [(i, i + 1) for i in range(n - 1) if (i + 1) % spec["chain"]])]
    else:
        label = [rng.randrange(spec["classes"]) for _ in range(n)]
        relations = [("link", communities(rng, spec, spec["homophily"], spec["degree"], label))]
    if "also" in spec:
        relations.append(("also", communities(rng, spec, spec["also"], spec["degree"], label)))
    for k, degree in enumerate(spec.get("misleading", [])):
        relations.append((f"noise{k}", communities(rng, spec, 1.0 / spec["classes"], degree, label)))
    os.makedirs(out)
    part = split_of(rng, spec, label)
    with open(f"{out}/nodes.csv", "w") as f:
        f.write("id,label,split\n")
        f.writelines(f"n{i},class {label[i]},{part[i]}\n" for i in range(n))
    with open(f"{out}/edges.csv", "w") as f:
        f.write("source,target,type\n")
        for kind, edges in relations:
            f.writelines(f"n{i},n{j},{kind}\n" for i, j in edges)
    if "words" in spec:
        rows = list(words_of(rng, spec, label))
        with open(f"{out}/features.mtx", "w") as f:
            f.write("%%MatrixMarket matrix coordinate pattern general\n")
            f.write(f"{n} {spec['words']} {sum(map(len, rows))}\n")
            f.writelines(f"{i + 1} {w + 1}\n" for i, row in enumerate(rows) for w in row)
    else:
        known = [rng.random() < spec.get("known", 1.0) for _ in range(n)]
        rows = list(numbers_of(rng, spec, label, known))
        write_npy(f"{out}/features.npy", n, spec["numbers"], [v for row in rows for v in row])


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for name in sys.argv[3:] or GRAPHS:
        if name not in GRAPHS:
            sys.exit(f"make_graphs.py: no graph {name!r}; known: {', '.join(GRAPHS)}")
        make(name, GRAPHS[name], os.path.join(sys.argv[1], name), sys.argv[2])


if __name__ == "__main__":
    main()

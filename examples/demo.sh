#!/usr/bin/env bash
# Trains a plain network and EM-GCN on generated data and shows the two side by side. Usage: demo.sh EMGNN
set -euo pipefail
emgnn=$1
runs=5

cat <<'T'
noisy-relations: 1,500 items of three classes. Each item has links of two kinds; one kind leads to its own
class 85 % of the time, the other 5 %. A plain GCN takes both as they are. EM-GCN learns how much each kind
of link deserves, from 60 labelled items.

T
gcn=$("$emgnn" train --dataset noisy-relations --method gcn --runs $runs)
em=$("$emgnn" train --dataset noisy-relations --method em-gcn --runs $runs)

accuracy() { awk '$1 == "mean" { print $(NF-2), $(NF-1), $NF }' <<<"$1"; }
cat <<T
method    test accuracy in %, mean ± std over $runs seeds
gcn       $(accuracy "$gcn")
em-gcn    $(accuracy "$em")

$(sed -n '/^learned distribution/,$p' <<<"$em")

Next:
  $emgnn train --dataset noisy-relations --method em-gcn --set em.variant=pd --runs 5   another variant
  $emgnn train --dataset noisy-relations --method em-gcn --out my-run                   keep the results
  $emgnn train --help                                                                   everything else
T

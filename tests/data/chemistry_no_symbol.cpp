// SPDX-License-Identifier: Apache-2.0
// A library that is no chemistry module.
extern "C" int not_chemistry() { return 0; }

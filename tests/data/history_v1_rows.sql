-- SPDX-License-Identifier: Apache-2.0
-- Rows of a history of schema 1, one statement a line; what they become is in tests/unit/test_store.c.
INSERT INTO machine (key, facts) VALUES ('cpu=x', '{"cpu":"x"}')
INSERT INTO run (time_ns, added_ns, name, kind, source, project, branch, commit_hash, commit_time, dirty, host, board, machine, op_count, device_s, gap_s, digest, note) VALUES (1000, 2000, 'model', 'ops', 'a.csv', '', 'main', 'abc', '', 0, 'lab-1', '', 1, 2, 0.5, 0.25, 'ce06092fb948d9ffac7d1a376e404b26b7575bcc11ee05a4615fef4fec3a308b', 'the fan was off')
INSERT INTO run (time_ns, added_ns, name, kind, source, project, branch, commit_hash, commit_time, dirty, host, board, machine, op_count, device_s, gap_s, digest, note) VALUES (1001, 2001, 'model', 'bench', 'b.json', '', 'main', 'abd', '', 1, 'lab-1', '', 1, 0, NULL, NULL, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '')
INSERT INTO document (run, name, packing, size, bytes) VALUES (1, 'a.csv', 'none', 6, 'hello!')
INSERT INTO op_kind (code, shapes, datatypes, memory, fidelity, digest) VALUES ('Matmul', '', '', '', '', 'k1')
INSERT INTO op_kind (code, shapes, datatypes, memory, fidelity, digest) VALUES ('Add', '', '', '', '', 'k2')
INSERT INTO op (run, position, kind, device, cores, time_ns, gap_ns) VALUES (1, 0, 1, 0, 64, 10.5, NULL)
INSERT INTO op (run, position, kind, device, cores, time_ns, gap_ns) VALUES (1, 1, 2, 0, 64, 11.5, 1.5)
INSERT INTO series (name, metric, unit, better, variant, machine) VALUES ('model', 'wall', 's', 'lower', '', 1)
INSERT INTO measurement (series, time_ns, run, position, count, median, low, high, target, samples) VALUES (1, 1000, 1, 0, 3, 2, 1, 2.5, NULL, '[1,2,2.5]')

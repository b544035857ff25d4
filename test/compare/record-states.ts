/**
 * Has a real Salt compile the trees of `test/support/state-trees.ts` and writes what it gives to
 * `test/fixtures/state/compiled.json`, for the unit test: `node scripts/run-ts.mjs test/compare/record-states.ts
 * [--salt DIR]`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../support/fleet.ts';
import { STATE_TREES, TREE_GRAINS, TREE_PILLAR } from '../support/state-trees.ts';
import { minionConfig, PLAIN_VALUES } from './real-modules.ts';

/** A file for Salt's renderer `py`: compiles each tree as `show_sls` or `show_top`, and as a highstate does. */
const DRIVER = `
import base64, collections.abc, copy, json, os
from salt.state import HighState

${PLAIN_VALUES}
def compiled(tree, grains, pillar):
    opts = copy.deepcopy(__opts__)
    opts.update(tree.get("opts", {}))
    opts["file_roots"] = tree["roots"]
    opts["cachedir"] = tree["cachedir"]
    opts["id"] = grains["id"]
    opts["grains"] = dict(opts["grains"], **grains)
    if "sls" in tree:
        opts["saltenv"] = "base"
    def work(step):
        with HighState(copy.deepcopy(opts), pillar) as compiler:
            compiler.push_active()
            try:
                return plain(step(compiler))
            except Exception as exc:
                return {"raised": str(exc)}
            finally:
                compiler.pop_active()
    def first(compiler):
        if "sls" in tree:
            high, errors = compiler.render_highstate({"base": list(tree["sls"])})
            return errors + compiler.state.verify_high(high) or high
        top = compiler.get_top()
        return compiler.verify_tops(top) or compiler.top_matches(top)
    def low(compiler):
        if "sls" in tree:
            compiler.get_top = lambda context=None: {"base": {"*": list(tree["sls"])}}
        return compiler.compile_low_chunks()
    return {"first": work(first), "low": work(low)}

def run():
    folder = os.path.dirname(os.path.abspath(FILE))
    with open(os.path.join(folder, "trees.json")) as handle:
        wanted = json.load(handle)
    found = {tree["name"]: compiled(tree, wanted["grains"], wanted["pillar"]) for tree in wanted["trees"]}
    with open(os.path.join(folder, "compiled.json"), "w") as handle:
        json.dump(found, handle)
    return {}
`;

const at = process.argv.indexOf('--salt');
const salt = at < 0 ? '/opt/realsalt/bin/3006' : (process.argv[at + 1] ?? '');
const folder = mkdtempSync(join(tmpdir(), 'brine-trees-'));
try {
  const trees = STATE_TREES.map((tree, i) => {
    const roots: Record<string, string[]> = {};
    for (const [path, text] of Object.entries(tree.files)) {
      const full = join(folder, `tree${i}`, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      const env = path.split('/')[0] ?? 'base';
      roots[env] = [join(folder, `tree${i}`, env)];
    }
    return { ...tree, roots, cachedir: join(folder, `cache${i}`) };
  });
  writeFileSync(
    join(folder, 'trees.json'),
    JSON.stringify({ trees, grains: TREE_GRAINS, pillar: TREE_PILLAR }),
  );
  writeFileSync(join(folder, 'minion'), minionConfig(folder));
  const driver = join(folder, 'driver.py');
  writeFileSync(driver, DRIVER.replace('FILE', JSON.stringify(driver)));
  const { stderr } = await runProgram(join(salt, 'salt-call'), [
    ...['-c', folder, '--local', '-l', 'quiet', 'slsutil.renderer', driver, 'default_renderer=py'],
  ]);
  process.stderr.write(stderr);
  const compiled = JSON.parse(readFileSync(join(folder, 'compiled.json'), 'utf8')) as unknown;
  mkdirSync('test/fixtures/state', { recursive: true });
  writeFileSync('test/fixtures/state/compiled.json', `${JSON.stringify(compiled, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * `state.pkg`: a run that was compiled elsewhere, with the files it needs, as `salt-ssh` sends it (3006.16
 * salt/modules/state.py).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProcess } from '../../../host/process.ts';
import { defineFunction, type FunctionSpec, type ModuleContext } from '../../../runtime/loader/module.ts';
import { RunEnvironment } from '../../../runtime/state/run-environment.ts';
import { StateRun } from '../../../runtime/state/run.ts';
import { parseJson } from '../../../formats/json/parse.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { openRun, setRetcode } from './open-run.ts';
import { param } from '../../../runtime/loader/params.ts';

/** Runs what a package holds. @param folder where it was unpacked */
async function runPackage(ctx: ModuleContext, folder: string, test: Value, kwargs: Dict): Promise<Value> {
  const lowstate = parseJson(readFileSync(join(folder, 'lowstate.json'), 'utf8'));
  if (!Array.isArray(lowstate) || !lowstate.every(isDict)) return lowstate; // what went wrong where it was compiled
  const pillar = readIfThere(join(folder, 'pillar.json'));
  const open = await openRun(ctx, pillar === undefined ? kwargs : new Map([...kwargs, ['pillar', pillar]]), {
    test,
  });
  const environments = readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());
  const roots: Dict = new Map(environments.map((name) => [name, [join(folder, name)]]));
  const opts: Dict = new Map<Value, Value>([...open.opts, ['file_client', 'local'], ['file_roots', roots]]);
  const makePillar = (): Promise<Dict> => Promise.resolve(open.pillar);
  const grains = readIfThere(join(folder, 'roster_grains.json'));
  const job = isDict(grains) ? { ...ctx, grains } : ctx;
  const environment = new RunEnvironment({ job, opts, pillar: open.pillar, makePillar });
  return new StateRun({ environment }).callAll(lowstate);
}

function readIfThere(path: string): Value | undefined {
  return existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined;
}

/** Unpacks an archive; one with members that lead out of the folder is not. */
async function unpack(path: string, folder: string, signal: AbortSignal): Promise<boolean> {
  const listed = await runProcess(['tar', '-tzf', path], { signal });
  const names = listed.stdout.toString().split('\n');
  if (listed.retcode !== 0 || names.some((name) => name.startsWith('/') || name.split('/').includes('..')))
    return false;
  return (await runProcess(['tar', '-xzf', path, '-C', folder], { signal })).retcode === 0;
}

/** `state.pkg`. */
export const packageFunctions: Readonly<Record<string, FunctionSpec>> = {
  pkg: defineFunction({
    doc: 'Runs states that were compiled elsewhere and packed with their files, as salt-ssh does.',
    params: {
      pkg_path: param.text({ doc: 'The package, a tar file that is packed with gzip.' }),
      pkg_sum: param.value({ type: 'str', doc: 'Its sum.' }),
      hash_type: param.value({ type: 'str', doc: 'The kind of the sum, `sha256`.' }),
      test: param.value({
        default: null,
        type: 'bool',
        doc: 'Change nothing, and say what would be changed.',
      }),
    },
    kwargs: 'kwargs',
    returns: 'mapping of tag to result; empty when there is no package of this sum',
    outputter: 'highstate',
    isolation: 'process',
    examples: ["salt '*' state.pkg /tmp/salt_state.tgz 760a9353810e36f6d81416366fc426dc sha256"],
    run: async (ctx, args, _rest, kwargs) => {
      const path = args.pkg_path;
      if (!existsSync(path)) return new Map();
      if ((await ctx.functions.call('file.get_hash', [path, args.hash_type])) !== args.pkg_sum)
        return new Map();
      const folder = mkdtempSync(join(tmpdir(), 'salt-state-'));
      try {
        if (!(await unpack(path, folder, ctx.signal))) return new Map();
        const ret = await runPackage(ctx, folder, args.test, kwargs);
        setRetcode(ctx, ret);
        return ret;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  }),
};

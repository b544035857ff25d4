/** `snapper`: the files of a machine as a snapshot has them (3006.16 salt/states/snapper.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext } from '../shared/state-function.ts';

/** The newest snapshot that is marked with a tag. */
async function baselineOf(ctx: StateContext, config: string, tag: string): Promise<Value | undefined> {
  const all = await ctx.functions.call('snapper.list_snapshots', [config]);
  const tagged = (Array.isArray(all) ? all.filter(isDict) : []).filter((each) => {
    const userdata = each.get('userdata');
    return isDict(userdata) && userdata.get('baseline_tag') === tag;
  });
  const age = (each: Dict): number => toNumber(each.get('timestamp')) ?? 0;
  const newest = tagged.reduce<Dict | undefined>(
    (best, each) => (best === undefined || age(best) < age(each) ? each : best),
    undefined,
  );
  return newest?.get('id');
}

/**
 * Whether a path is ignored, or lies in a folder that is.
 * Salt compat: Salt takes /srv/web for a part of /srv/w, and brings a file back that is ignored and was deleted.
 */
function isIgnored(path: string, ignore: readonly string[]): boolean {
  return ignore
    .map((target) => target.replace(/(?<=.)\/+$/, ''))
    .some((target) => path === target || path.startsWith(`${target === '/' ? '' : target}/`));
}

/** What differs from the baseline, in files that are not ignored. */
async function deviations(
  ctx: StateContext,
  config: string,
  number: Value,
  { ignore, shows }: { ignore: readonly string[]; shows: boolean },
): Promise<Dict> {
  const found = await ctx.functions.call('snapper.status', [config], { num_pre: 0, num_post: number });
  const out = dict();
  for (const [path, entry] of isDict(found) ? found : []) {
    if (isIgnored(pyStr(path), ignore) || !isDict(entry)) continue;
    const status = entry.get('status');
    const isModified = Array.isArray(status) && status.includes('modified');
    out.set(path, isModified && shows ? await differenceOf(ctx, config, number, path) : entry);
  }
  return out;
}

async function differenceOf(ctx: StateContext, config: string, number: Value, path: Value): Promise<Dict> {
  const words = dict({ num_pre: 0, num_post: number, filename: path });
  const all = await ctx.functions.call('snapper.diff', [config], words);
  const own = isDict(all) ? all.get(path) : undefined;
  return isDict(own) ? own : dict();
}

/** The states of `snapper`. */
export const snapperStates = defineModule({
  name: 'snapper',
  file: 'snapper',
  doc: 'The files of a machine as a snapshot has them, by snapper.',
  needs: { fun: 'snapper.diff', otherwise: 'snapper module could not be loaded' },
  functions: {
    baseline_snapshot: defineState({
      doc: 'Makes sure that files are as a snapshot has them: what has changed since then is taken back.',
      params: {
        name: param.text({ doc: 'A name of the state.' }),
        number: param.value({ default: null, type: 'int', doc: 'The number of the snapshot.' }),
        tag: param.textIfGiven({
          default: null,
          doc: 'In place of the number: the tag of snapper.create_baseline; the newest snapshot that has it.',
        }),
        include_diff: param.flag({
          default: true,
          doc: 'Shows the differences of files that were modified.',
        }),
        config: param.text({ default: 'root', doc: 'The configuration.' }),
        ignore: param.textsIfGiven({ default: null, doc: 'Files and folders that may differ.' }),
      },
      run: async (ctx, { name, number: given, tag, include_diff, config, ignore }) => {
        if (given === null && tag === undefined)
          return failure(name, 'Snapshot tag or number must be specified');
        if (given !== null && tag !== undefined)
          return failure(name, 'Cannot use snapshot tag and number at the same time');
        const number = tag === undefined ? given : await baselineOf(ctx, config, tag);
        if (number === undefined) return failure(name, `Baseline tag "${tag ?? ''}" not found`);
        const found = await deviations(ctx, config, number, { ignore: ignore ?? [], shows: include_diff });
        if (ctx.state.test)
          return found.size === 0
            ? outcome(name, true, 'Nothing to be done')
            : outcome(name, null, `${found.size} files changes are set to be undone`, found);
        if (found.size === 0) return outcome(name, true, 'No changes were done');
        const words = dict({ num_pre: number, num_post: 0, files: [...found.keys()] });
        const summary = await ctx.functions.call('snapper.undo', [config], words);
        return outcome(name, true, '', dict({ sumary: summary, files: found }));
      },
    }),
  },
});

/** `file.shortcut`, which is for Windows, and `file.mod_beacon`. Follows 3006.16 salt/states/file.py. */
import { opt, P } from '../../shared/file-params.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { param } from '../../../runtime/loader/params.ts';
import { S } from './params.ts';

/** The settings of the beacon that watches a file or folder. */
function beaconOf(name: string, sfun: string, wanted: Dict): Dict {
  const data = dict({ mask: wanted.get('mask') ?? ['create', 'delete', 'modify'] });
  if (sfun === 'directory') {
    data.set('auto_add', wanted.get('auto_add') ?? true);
    data.set('recurse', wanted.get('recurse') ?? true);
    data.set('exclude', wanted.get('exclude') ?? []);
  }
  return dict({
    name: `beacon_inotify_${name}`,
    files: new Map([[name, data]]),
    interval: wanted.get('interval') ?? 60,
    coalesce: wanted.get('coalesce') ?? false,
    beacon_module: 'inotify',
  });
}

async function beacon(ctx: StateContext, name: string, kwargs: Dict): Promise<Dict> {
  const outcome = new FileOutcome(name, { order: 'moved' });
  const sfun = pyStr(kwargs.get('sfun') ?? null);
  if (sfun !== 'managed' && sfun !== 'directory')
    return outcome.fail(`file.${sfun} does not work with the beacon state function`);
  if (!truthy(kwargs.get('beacon'))) return outcome.end(true, 'Not adding beacon.');
  const data = kwargs.get('beacon_data');
  const result = await ctx.state.call(
    'beacon.present',
    beaconOf(name, sfun, isDict(data) ? data : new Map()),
  );
  if (isDict(result)) outcome.adopt(result);
  return outcome.ret;
}

/** States that do nothing to files here. */
export const otherStates = {
  mod_beacon: defineState({
    doc: 'Adds a beacon that watches the file or folder of a state with `beacon: True`.',
    params: { name: param.text(P.name) },
    kwargs: 'kwargs',
    run: (ctx, { name }, kwargs) => beacon(ctx, name, kwargs),
  }),
  shortcut: defineState({
    doc: 'Fails: shortcuts are only for Windows.',
    params: {
      name: param.text({ doc: P.name.doc }),
      target: S.target,
      arguments: opt(param.value({ type: 'str', doc: 'For Windows.' }), null),
      working_dir: opt(param.value({ type: 'str', doc: 'For Windows.' }), null),
      description: opt(param.value({ type: 'str', doc: 'For Windows.' }), null),
      icon_location: opt(param.value({ type: 'str', doc: 'For Windows.' }), null),
      force: opt(S.force, false),
      backupname: opt(S.backupname, null),
      makedirs: opt(S.makedirs, false),
      user: opt(S.user, null),
    },
    kwargs: 'kwargs',
    run: (_ctx, { name }) => new FileOutcome(name).fail('Shortcuts are only supported on Windows'),
  }),
};

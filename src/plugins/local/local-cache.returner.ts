/**
 * `local_cache`: keeps returns in files below `cachedir`, in the layout of Salt's job cache
 * (salt/returners/local_cache.py, 3006.16).
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { isSafeJid, JidSource, REQUEST_JID } from '../../storage/jobs/jid.ts';
import {
  JID_FILE,
  NO_CACHE_FILE,
  OUT_FILE,
  RETURN_FILE,
  saltsJobFolder,
  saltsJobsRoot,
} from '../../storage/jobs/salts-layout.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import type { Dict } from '../../python/values/value.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { param } from '../../runtime/loader/params.ts';

const KEPT = ['return', 'retcode', 'success'];

/**
 * The folder of a job: the hash of its id, cut after two digits.
 * @throws CommandExecutionError for what is no job id
 */
function jobFolder(ctx: ModuleContext, jid: unknown): string {
  if (!isSafeJid(jid)) throw new CommandExecutionError(`${String(jid)} is no job id.`);
  const hashType = ctx.opts.get('hash_type');
  const known = typeof hashType === 'string' ? hashType : 'sha256';
  return saltsJobFolder(String(ctx.opts.get('cachedir')), known, jid);
}

function keep(ctx: ModuleContext, ret: Dict): boolean | null {
  const jid = ret.get('jid') === REQUEST_JID ? new JidSource(ctx.clock, '').next() : ret.get('jid');
  const folder = jobFolder(ctx, jid);
  if (existsSync(join(folder, NO_CACHE_FILE))) return null;
  const place = safeJoin(folder, String(ret.get('id')));
  makeDirectory(saltsJobsRoot(String(ctx.opts.get('cachedir'))), 0o700);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    mkdirSync(place, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    ctx.log.error(
      `An extra return was detected from minion ${String(ret.get('id'))}, please verify the minion, this could be a replay attack`,
    );
    return false;
  }
  writeFileAtomic(join(folder, JID_FILE), String(jid), { mode: 0o600 });
  const value = new Map([...ret].filter(([name]) => KEPT.includes(String(name))));
  writeFileAtomic(join(place, RETURN_FILE), encode(value, 'local'), { mode: 0o600 });
  const out = ret.get('out');
  if (out !== undefined) writeFileAtomic(join(place, OUT_FILE), encode(out, 'local'), { mode: 0o600 });
  return null;
}

export const localCacheReturner = defineModule({
  name: 'local_cache',
  file: 'local_cache',
  doc: 'Keeps returns in files below `cachedir`, in the layout of the job cache of a Salt master.',
  settings: [],
  functions: {
    returner: defineFunction({
      doc: 'Keeps one return.',
      params: { load: param.mapping({ doc: 'The return, as the master gets it.' }) },
      returns: 'None; False when the job had a return already',
      examples: ["salt '*' test.ping --return local_cache"],
      run: (ctx, { load }) => keep(ctx, load),
    }),
  },
});

/** Files of states, and what test runs have found that would change. */
import { readFile, stat } from 'node:fs/promises';
import { openFileServer } from '../../../../storage/fileserver/open.ts';
import type { FileServer } from '../../../../storage/fileserver/file-server.ts';
import { dict, isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../../python/values/text.ts';
import { jidTimeMs } from '../../../../storage/jobs/jid.ts';
import { ApiFault } from '../fault.ts';
import type { Deps } from '../deps.ts';
import { jidOfTime } from '../jid-of-time.ts';
import { isoTime, isTest, jidText } from '../job-views.ts';
import { cursorOf, limitOf, page, pageOf, pageQuery, readCursor } from '../pages.ts';
import { route, type Route } from '../route.ts';
import {
  component,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type SchemaType,
} from '../schema.ts';

const ENV = text({ maxLength: 200, description: 'the environment; default base' });
const BYTES_MAX = 512 * 1024;
const STATES_MAX = 50;
/** Jobs that one page looks at. */
const LOOKED_AT_MAX = 500;

const stateFile = component(
  'StateFile',
  object({
    path: text(),
    kind: oneOf(['sls', 'file']),
    sls: nullable(text({ description: 'the name for state.apply' })),
  }),
);
const drift = component(
  'Drift',
  object({
    jid: jidText,
    minion: text(),
    time: nullable(text({ format: 'date-time' })),
    fun: text(),
    changes: integer({ description: 'states that would change something' }),
    failed: integer(),
    total: integer(),
    states: list(text(), { description: `ids of states that would change something, at most ${STATES_MAX}` }),
  }),
);

/** The routes. */
export const stateRoutes: readonly Route[] = [
  route({
    id: 'states.environments',
    method: 'GET',
    path: '/states/environments',
    summary: 'The environments that the master serves.',
    needs: { client: 'runner', fun: 'fileserver.envs' },
    answer: object({ items: list(text()) }),
    run: ({ deps }) => Promise.resolve({ items: serverOf(deps).environments() }),
  }),
  route({
    id: 'states.files',
    method: 'GET',
    path: '/states/files',
    summary: 'The files of an environment.',
    needs: { client: 'runner', fun: 'fileserver.file_list' },
    query: { env: optional(ENV), prefix: optional(text({ maxLength: 1000 })), ...pageQuery },
    answer: page(stateFile),
    faults: ['bad-cursor'],
    run: async ({ deps, query }) => {
      const paths = await serverOf(deps).list(query.env ?? 'base', 'files', { prefix: query.prefix ?? '' });
      const all = paths.map((path) => {
        const sls = slsOf(path);
        return { path, kind: sls === null ? ('file' as const) : ('sls' as const), sls };
      });
      return pageOf('files', all, query);
    },
  }),
  route({
    id: 'states.content',
    method: 'GET',
    path: '/states/files/content',
    summary: 'What stands in a file.',
    needs: { client: 'wheel', fun: 'file_roots.read' },
    query: { env: optional(ENV), path: text({ minLength: 1, maxLength: 4096 }) },
    answer: object({
      path: text(),
      text: nullable(text()),
      bytes: integer(),
      truncated: flag(),
      binary: flag(),
    }),
    faults: ['not-found'],
    run: async ({ deps, query: { env = 'base', path } }) => {
      const found = await serverOf(deps).commands.get('_file_find')?.(dict({ path, saltenv: env }));
      const at = isDict(found) ? found.get('path') : undefined;
      if (typeof at !== 'string' || at === '')
        throw new ApiFault('not-found', `There is no file ${path} in ${env}.`);
      const { size } = await stat(at);
      const whole = (await readFile(at)).subarray(0, BYTES_MAX);
      const said = decodeUtf8(whole);
      return {
        path,
        text: said ?? null,
        bytes: size,
        truncated: size > BYTES_MAX,
        binary: said === undefined,
      };
    },
  }),
  route({
    id: 'states.drift',
    method: 'GET',
    path: '/states/drift',
    summary: 'What test runs of states have found that would change, the newest first.',
    needs: { client: 'runner', fun: 'jobs.list_jobs' },
    query: {
      minion: optional(text({ maxLength: 256 })),
      since: optional(text({ format: 'date-time', maxLength: 40 })),
      ...pageQuery,
    },
    answer: page(drift),
    faults: ['bad-cursor'],
    run: ({ deps, query }) => driftOf(deps, query),
  }),
];

function serverOf({ files, clock, random, log }: Deps): FileServer {
  return openFileServer({ opts: files.opts.toDict(), clock, random, log });
}

function slsOf(path: string): string | null {
  if (!path.endsWith('.sls')) return null;
  const name = path.slice(0, -'.sls'.length).replaceAll('/', '.');
  return name.endsWith('.init') ? name.slice(0, -'.init'.length) : name;
}

/** Pages of whole jobs, so that a page may be a little longer than asked for. */
async function driftOf(
  { files }: Deps,
  query: {
    readonly minion?: string;
    readonly since?: string;
    readonly limit?: number;
    readonly cursor?: string;
  },
): Promise<{ items: SchemaType<typeof drift>[]; next: string | null }> {
  const before = readCursor('drift', query.cursor);
  const fromJid = jidOfTime(query.since, 'since');
  return files.jobs(async (archive) => {
    const jobs = await archive.jobs({
      limit: LOOKED_AT_MAX,
      withoutMinions: true,
      wantsFun: (fun) => /^state\.(apply|highstate|sls|sls_id|top|test|single)$/.test(fun),
      ...(fromJid === undefined ? {} : { fromJid }),
      ...(before === undefined ? {} : { toJid: before }),
      accepts: ({ jid, load }) =>
        (before === undefined || jid < before) && (isTest(load) || load.get('fun') === 'state.test'),
    });
    const items: SchemaType<typeof drift>[] = [];
    for (const { jid, load } of jobs) {
      for (const ret of await archive.returns(jid)) {
        if (query.minion !== undefined && ret.id !== query.minion) continue;
        if (isDict(ret.return))
          items.push({
            jid,
            minion: ret.id,
            time: isoTime(jidTimeMs(jid)),
            fun: pyStr(load.get('fun') ?? ''),
            ...foundIn(ret.return),
          });
      }
      if (items.length >= limitOf(query)) return { items, next: cursorOf('drift', jid) };
    }
    const last = jobs.at(-1);
    return {
      items,
      next: jobs.length < LOOKED_AT_MAX || last === undefined ? null : cursorOf('drift', last.jid),
    };
  });
}

function foundIn(states: Dict): Pick<SchemaType<typeof drift>, 'changes' | 'failed' | 'total' | 'states'> {
  const ids: string[] = [];
  let [changes, failed, total] = [0, 0, 0];
  for (const [tag, result] of states) {
    if (!isDict(result)) continue;
    total++;
    const verdict: Value | undefined = result.get('result');
    if (verdict === false) failed++;
    if (verdict !== null) continue;
    changes++;
    if (ids.length < STATES_MAX) ids.push(pyStr(result.get('__id__') ?? tag));
  }
  return { changes, failed, total, states: ids };
}

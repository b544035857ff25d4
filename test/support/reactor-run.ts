/** A reactor of ours on the events of a case: what it would send and call, and what it logs. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toJson } from '../../src/formats/json/text.ts';
import { systemClock } from '../../src/host/clock.ts';
import { createLogger, LOG_LEVELS } from '../../src/host/log.ts';
import { rareLog } from '../../src/host/rare-lines.ts';
import { systemRandom } from '../../src/host/random.ts';
import { Secret } from '../../src/host/secret.ts';
import { encodeEvent } from '../../src/network/events/framing.ts';
import { KeptFeed } from '../../src/network/events/kept-feed.ts';
import { CallPool } from '../../src/programs/reactor/call-pool.ts';
import { Chains } from '../../src/programs/reactor/chains.ts';
import { Journal } from '../../src/programs/reactor/journal.ts';
import { ReactorManager } from '../../src/programs/reactor/manage.ts';
import { ReactionMap } from '../../src/programs/reactor/reaction-map.ts';
import { Reactor } from '../../src/programs/reactor/reactor.ts';
import { ReactionRenderer } from '../../src/programs/reactor/render-reactions.ts';
import { MasterReactions } from '../../src/programs/reactor/run-reaction.ts';
import type { Step } from '../../src/programs/reactor/step.ts';
import { findFunction } from '../../src/programs/runner/find-function.ts';
import { ownFunctions } from '../../src/programs/runner/own-functions.ts';
import type { Dict, Value } from '../../src/python/values/value.ts';
import type { ModuleContext } from '../../src/runtime/loader/module.ts';
import { JidSource } from '../../src/storage/jobs/jid.ts';
import { fromPlain } from './master-functions.ts';
import type { ReactorCase, ReactorDeed } from './reactor-cases.ts';

const LAST = 'salt/reactors/manage/list';
const EVENT_BYTES_MAX = 1_000_000;

/** Runs one case. @param folder where its files go @param context functions, grains and options of who reacts */
export async function reactorDeeds(
  folder: string,
  { reactor: configured, files, events }: ReactorCase,
  context: ModuleContext,
): Promise<readonly ReactorDeed[]> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const did: ReactorDeed[] = [];
  const every = createLogger('test', [
    {
      level: LOG_LEVELS.warning,
      write: ({ level, message }) => void did.push(['log', [level, message]]),
    },
  ]);
  const log = rareLog(every, systemClock);
  const map = new ReactionMap({
    configured: fromPlain(configured),
    refreshMs: 60_000,
    clock: systemClock,
    log,
  });
  let answered: () => void = () => undefined;
  const isAnswered = new Promise<void>((resolve) => (answered = resolve));
  let left = events.filter(([tag, { key }]) => tag === LAST && key === 'KEY').length + 1;
  const feedPath = join(folder, 'run', 'feed.ipc');
  const feed = new KeptFeed({ path: feedPath, keptBytesMax: EVENT_BYTES_MAX, random: systemRandom, log });
  const journal = new Journal(join(folder, 'journal', 'journal.db'));
  const opts = new Map<Value, Value>([['extension_modules', join(folder, 'none')]]);
  const own = ownFunctions(opts, log);
  const call = ({ reaction: { client, fun, arg, kwarg } }: Step): Promise<Value> => {
    did.push([
      client,
      plain(
        new Map<Value, Value>([
          ['fun', fun],
          ['arg', [...arg]],
          ['kwarg', kwarg],
        ]),
      ),
    ]);
    return Promise.resolve(null);
  };
  const reactor = new Reactor({
    feedPath,
    journal,
    refused: (error) => {
      throw error;
    },
    map,
    manager: new ReactorManager({
      id: 'the_id',
      map,
      masterKey: () => new Secret('KEY'),
      fire: (tag, data) => {
        if (tag.endsWith('/list-results') && --left === 0) answered();
        else
          did.push([
            'fired',
            plain(
              new Map<Value, Value>([
                ['tag', tag],
                ['data', data],
              ]),
            ),
          ]);
      },
      log: every,
    }),
    renderer: new ReactionRenderer({ context: () => Promise.resolve(context), log }),
    find: (kind, fun) => findFunction(kind, fun, own),
    runner: new MasterReactions({
      publish: ({ tgt, tgtType, fun, arg, ret = '', kwargs = new Map() }) => {
        const load = { tgt, fun: String(fun), arg: [...arg], tgt_type: tgtType, ret, kwargs };
        did.push(['local', plain(new Map<Value, Value>(Object.entries(load)))]);
        return Promise.resolve();
      },
      publishOnce: () => Promise.reject(new Error('nothing is done again')),
      isReturned: () => Promise.resolve(false),
      runFunction: async (step) => void (await call(step)),
      callHere: call,
      timeoutMs: 1000,
      log,
    }),
    jids: new JidSource(systemClock),
    pool: new CallPool(1, 100),
    chains: new Chains(),
    clock: systemClock,
    log,
  });
  await feed.start();
  try {
    await reactor.start();
    for (const [tag, data] of [...events, [LAST, { key: 'KEY' }] as const]) {
      feed.push(encodeEvent(tag, fromPlain(data) as Dict, systemClock, EVENT_BYTES_MAX), 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await isAnswered;
    while (journal.unfinished().length > 0) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    await reactor.stop();
    feed.close();
    for (const name of Object.keys(files)) rmSync(join(folder, name));
  }
  return did;
}

function plain(value: Value): unknown {
  return JSON.parse(toJson(value)) as unknown;
}

/** What a minion and the worker processes that run its jobs say to each other, over the worker's descriptor 3. */
import { contract } from '../contract.ts';
import {
  anything,
  byName,
  count,
  fields,
  flag,
  list,
  mapping,
  nothing,
  oneOf,
  optional,
  record,
  single,
  text,
  type FieldType,
} from '../fields.ts';

/** The one function that is to be called, its arguments bound; no rule of jobs applies to it. */
const boundCall = record({
  kind: oneOf('modules', 'states', 'returners'),
  fun: text,
  /** Parameters by name. */
  args: mapping,
  rest: list(anything),
  kwargs: mapping,
  /** For state functions: what they may know of their run, without what is a function there. */
  state: optional(record({ test: flag, low: mapping, lowstate: list(mapping), running: mapping })),
});

/** What was found out about the modules of a kind; of each where it is, or why it cannot be used or loaded. */
const findings = record({
  version: text,
  known: list(
    record({
      file: text,
      name: text,
      path: optional(text),
      unavailable: optional(text),
      broken: optional(text),
    }),
  ),
});

/** What a minion orders of a worker. */
export const jobWorker = contract('the job’s process', {
  /** Runs a job; answered when it is over. */
  run: {
    asks: fields({
      opts: mapping,
      grains: mapping,
      pillar: mapping,
      /** The publication. */
      pub: mapping,
      /** What is known of custom modules, by kind. */
      own: byName(findings),
      /** Only this function is called, instead of what the job says. */
      call: optional(boundCall),
    }),
    answers: single(record({ return: anything, retcode: anything, success: anything, out: optional(text) })),
  },
});

/** What functions ask of the minion while they run in a worker: its `MinionServices`. */
export const jobServices = contract('the minion', {
  fireLocal: { asks: fields({ tag: text, data: mapping }), answers: single(flag) },
  fireMaster: {
    asks: fields({ tag: text, data: anything, preload: optional(mapping) }),
    answers: single(flag),
  },
  runningJobs: { asks: nothing, answers: single(list(mapping)) },
  signalJob: { asks: fields({ jid: text, signal: count }), answers: single(flag) },
  refresh: {
    asks: fields({
      what: oneOf('modules', 'grains', 'pillar', 'beacons', 'matchers'),
      options: optional(mapping),
    }),
    answers: single(flag),
  },
  /** Undefined where nothing collects grains. */
  grains: { asks: nothing, answers: single(optional(mapping)) },
  request: {
    asks: fields({ load: mapping, master: optional(text), once: optional(flag) }),
    answers: single(anything),
  },
  requestAll: { asks: fields({ load: mapping }), answers: single(anything) },
  /** Undefined when no minion answers. */
  manage: {
    asks: fields({ part: oneOf('schedule', 'beacons'), order: mapping }),
    answers: single(optional(mapping)),
  },
  /** Answered when it is known what became of the trial of another version; undefined when no minion runs. */
  tryVersion: { asks: fields({ order: mapping }), answers: single(optional(mapping)) },
});

/** See {@link jobWorker}. */
export type FoundModules = FieldType<typeof findings>;
/** See {@link jobWorker}. */
export type BoundCall = FieldType<typeof boundCall>;

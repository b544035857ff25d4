/** What programs and the Python process that runs a site's modules say to each other, over its descriptor 3. */
import { contract, type Client, type Handlers } from '../contract.ts';
import {
  anything,
  byName,
  codecsIn,
  count,
  flag,
  list,
  mapping,
  oneOf,
  optional,
  text,
  variants,
  type Field,
  type FieldType,
} from '../fields.ts';

const { fields, single } = codecsIn('python');

/** Kinds of files that are loaded with functions; `utils` are loaded by the process itself. */
const kind = oneOf(
  'modules',
  'states',
  'runners',
  'wheel',
  'returners',
  'renderers',
  'pillar',
  'output',
  'auth',
  'beacons',
  'engines',
  'tops',
  'sdb',
  'queues',
  'matchers',
);
/** Kinds of functions that modules may call; `compiler` is what has an SLS rendered, and only renderers know of it. */
const called = oneOf('modules', 'states', 'runners', 'returners', 'compiler');

/** `[name, how, default, only by name]`: a parameter as Python's `inspect` knows it. */
const parameter: Field<PythonParameter> = {
  pack: ({ name, how, fallback, byNameOnly }) => [name, how, fallback, byNameOnly],
  read: (value) => {
    const [name, how, fallback = null, byNameOnly] = Array.isArray(value) ? value : [];
    return {
      name: text.read(name ?? null),
      how: oneOf('required', 'default', 'opaque').read(how ?? null),
      fallback,
      byNameOnly: byNameOnly === true,
    };
  },
};

/** A parameter. */
export interface PythonParameter {
  readonly name: string;
  /** `opaque`: it has a default that is no data, which only Python knows. */
  readonly how: 'required' | 'default' | 'opaque';
  /** The default; of an opaque one its text. */
  readonly fallback: FieldType<typeof anything>;
  readonly byNameOnly: boolean;
}

/** `[doc, parameters, varargs, kwargs, name]` */
const functionOf: Field<PythonFunction> = {
  pack: ({ doc, params, varargs, kwargs, pythonName }) => [
    doc,
    params.map(parameter.pack),
    varargs ?? null,
    kwargs ?? null,
    pythonName ?? null,
  ],
  read: (value) => {
    const [doc, params, varargs = null, kwargs = null, pythonName = null] = Array.isArray(value) ? value : [];
    return {
      doc: text.read(doc ?? null),
      params: list(parameter).read(params ?? null),
      varargs: optional(text).read(varargs),
      kwargs: optional(text).read(kwargs),
      pythonName: optional(text).read(pythonName),
    };
  },
};

/** A function as it is described. */
export interface PythonFunction {
  readonly doc: string;
  readonly params: readonly PythonParameter[];
  readonly varargs: string | undefined;
  readonly kwargs: string | undefined;
  /** As Python's errors about arguments name it. */
  readonly pythonName: string | undefined;
}

/** What was raised. */
const raised = {
  /** The class; of one that Salt treats in a way of its own, the class that it treats. */
  type: text,
  message: text,
  trace: text,
  /** The very class, where that is another one. */
  own: optional(text),
  /** Of Salt's errors with `info`: the message without it, and what it is. */
  about: optional(list(anything)),
};

/** What a function returned, or what it raised. */
const outcome = variants({
  returned: {
    value: anything,
    retcode: optional(count),
    keeps: optional(flag),
    /** See `tellsArguments`. */
    args: optional(list(anything)),
  },
  raised,
});

/** What programs ask of the process. */
export const pythonHost = contract('the Python process', {
  /** What modules see of a job, from now on, under this number. */
  surroundings: {
    asks: fields({
      number: count,
      opts: mapping,
      grains: mapping,
      pillar: mapping,
      /** Files of `_utils`: name to path. */
      utilities: mapping,
    }),
  },
  /** Answered as soon as the process has started. */
  awake: { asks: fields({}), answers: single(flag) },
  tryModule: {
    asks: fields({ kind, file: text, path: text, surroundings: count }),
    answers: single(
      variants({
        module: {
          name: text,
          doc: text,
          functions: byName(functionOf),
          outputters: mapping,
          /** Further names that it goes by. */
          aliases: list(text),
        },
        unavailable: { name: text, reason: text },
        broken: { reason: text },
      }),
    ),
  },
  run: {
    asks: fields({
      surroundings: count,
      /** Names this call when functions are called back. */
      call: count,
      kind,
      file: text,
      path: text,
      fun: text,
      args: list(anything),
      kwargs: mapping,
      /** Whose `__context__` it is; empty for the one of the process. */
      jid: text,
      test: flag,
      /** Whether each item of a generator is an event of the job. */
      tellsItems: flag,
      /**
       * What is no data may stay there, with something that stands for it in its place; tuples and ordered mappings are
       * told as such.
       */
      exactly: flag,
      /** Of a state: `low`, `lowstate`, `running`. */
      state: optional(mapping),
      /** Whether the arguments are told as the function has left them: it is one that changes them. */
      tellsArguments: flag,
    }),
    answers: single(outcome),
  },
  /** Runs `run()` of an SLS in `#!py` or of a template. */
  render: {
    asks: fields({
      surroundings: count,
      call: count,
      path: text,
      text,
      variables: mapping,
      /** As of `exactly`, but for tuples and mappings. */
      keeps: flag,
    }),
    answers: single(
      variants({
        returned: { value: anything, keeps: optional(flag) },
        raised,
        /** The file itself, before `run()` was called. */
        broken: raised,
      }),
    ),
  },
  /** Asks about an object that it keeps. */
  object: {
    asks: fields({
      surroundings: count,
      call: count,
      object: anything,
      question: oneOf('attribute', 'item', 'contains', 'call', 'operator', 'facts'),
      args: list(anything),
      kwargs: mapping,
    }),
    answers: single(variants({ returned: { value: anything, keeps: optional(flag) }, missing: {}, raised })),
  },
  grains: {
    asks: fields({ file: text, path: text, surroundings: count }),
    answers: single(variants({ found: { grains: mapping, faults: list(text) } })),
  },
});

/** What modules ask of the program. */
export const pythonServices = contract('the program', {
  log: { asks: fields({ level: oneOf('debug', 'info', 'warning', 'error'), text }) },
  /** What it is asked from now on is for another process: a module has left it unfit, or threads without end. */
  spent: { asks: fields({}) },
  /** Whether there is a function; one in Python that this process runs is called there, with the very values. */
  has: {
    /** `isBuiltIn`: of the program itself, the file that stands in its place having turned out to be of no use. */
    asks: fields({ call: count, kind: called, fun: text, isBuiltIn: flag }),
    answers: single(
      variants({ missing: {}, there: {}, here: { of: kind, file: text, path: text, fun: text } }),
    ),
  },
  /**
   * A file that is rendered goes into a function of a module, or comes back from it: what that takes is not the file's
   * own time.
   */
  away: { asks: fields({ call: count, isAway: flag }) },
  /** Fires an event of the job. */
  event: { asks: fields({ call: count, suffix: text, data: mapping }), answers: single(flag) },
  /** The full names of all functions. */
  names: { asks: fields({ call: count, kind: called }), answers: single(list(text)) },
  call: {
    asks: fields({ call: count, kind: called, fun: text, args: list(anything), kwargs: mapping }),
    answers: single(
      variants({
        returned: { value: anything },
        raised: { type: text, message: text, own: raised.own, about: raised.about },
      }),
    ),
  },
});

/** See {@link pythonHost}. */
export type PythonClient = Client<typeof pythonHost>;
/** See {@link pythonServices}. */
export type ServePython = Handlers<typeof pythonServices>;
/** See {@link kind}. */
export type PythonKind = FieldType<typeof kind>;
/** See {@link called}. */
export type CalledKind = FieldType<typeof called>;

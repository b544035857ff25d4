/** What programs and the process in which custom modules are tried say to each other, over its descriptor 3. */
import { contract, type Client, type Handlers } from '../contract.ts';
import {
  anything,
  byName,
  fields,
  flag,
  list,
  mapping,
  MessageError,
  nothing,
  oneOf,
  optional,
  record,
  single,
  text,
  variants,
  type Codec,
  type Field,
  type FieldType,
} from '../fields.ts';

/** The file in question; with the grains when it was found to want them. */
const file = { name: text, path: text, opts: mapping, grains: optional(mapping) };

/** It cannot be told without the grains, which may have to be collected for it. */
const NEEDS_GRAINS = { 'needs grains': {} } as const;

/** A function without its body. */
const functionOf = record({
  doc: text,
  returns: text,
  varargs: optional(text),
  kwargs: optional(text),
  outputter: optional(text),
  params: byName(mapping),
  examples: optional(list(text)),
});

/** A file with functions after it was tried. */
const tried = variants({
  ...NEEDS_GRAINS,
  module: { file: text, path: text, name: text, doc: text, functions: byName(functionOf) },
  unavailable: { file: text, name: text, reason: text },
  broken: { file: text, reason: text },
});

/** A beacon, renderer or outputter after it was tried. */
const described = variants({
  ...NEEDS_GRAINS,
  found: { file: text, path: text, name: text, doc: text, validates: flag },
  unavailable: { reason: text },
  broken: { reason: text },
});

/** What custom code returned, or threw: the text names the place in its file. */
function outcome<T>(given: Field<T>): Codec<ValueOrFault<T>> {
  return single({
    pack: (answer) => ('fault' in answer ? ['fault', answer.fault] : ['value', given.pack(answer.value)]),
    read: (answer) => {
      const [kind, said = null] = Array.isArray(answer) ? answer : [];
      if (kind === 'fault') return { fault: text.read(said) };
      if (kind === 'value') return { value: given.read(said) };
      throw new MessageError('is neither a value nor a fault');
    },
  });
}

/** See {@link outcome}. */
export type ValueOrFault<T> = { readonly value: T } | { readonly fault: string };

/** What programs ask of the process. */
export const extensionHost = contract('the process of modules', {
  tryModule: { asks: fields(file), answers: single(tried) },
  grains: {
    asks: fields(file),
    answers: single(variants({ ...NEEDS_GRAINS, found: { grains: mapping, faults: list(text) } })),
  },
  describe: {
    asks: fields({ ...file, kind: oneOf('beacons', 'renderers', 'output', 'auth') }),
    answers: single(described),
  },
  /** What the code may know of the program, from now on. */
  surroundings: {
    asks: fields({ id: text, opts: mapping, grains: mapping, pillar: mapping }),
    answers: nothing,
  },
  /** A beacon's word on its configuration: true, false or a reason. */
  validate: { asks: fields({ path: text, config: anything }), answers: outcome(anything) },
  look: { asks: fields({ path: text, config: list(anything) }), answers: outcome(list(mapping)) },
  render: {
    asks: fields({
      path: text,
      input: anything,
      argument: text,
      sls: text,
      saltenv: text,
      /** The file that is rendered. */
      file: text,
    }),
    answers: outcome(anything),
  },
  /** An authentication system: whether a password is right, groups, rules; null where it has no such function. */
  authenticate: {
    asks: fields({ path: text, what: oneOf('auth', 'groups', 'acl'), username: text, password: text }),
    answers: outcome(anything),
  },
  /** Calls a function of a driver of `sdb://` or of a backend of queues. */
  run: {
    asks: fields({ file: text, path: text, fun: text, args: list(anything), kwargs: mapping }),
    answers: outcome(anything),
  },
  output: { asks: fields({ path: text, data: anything, color: flag }), answers: outcome(text) },
});

/** What the code in the process asks of the program. */
export const extensionServices = contract('the program', {
  log: { asks: fields({ level: oneOf('debug', 'info', 'warning', 'error'), text }) },
  /** Calls a function by its full name. */
  call: { asks: fields({ fun: text, args: list(anything), kwargs: mapping }), answers: single(anything) },
});

/** See {@link extensionHost}. */
export type HostClient = Client<typeof extensionHost>;
/** See {@link extensionServices}. */
export type ServeHost = Handlers<typeof extensionServices>;
/** See {@link extensionHost}. */
export type TriedFile = FieldType<typeof tried>;

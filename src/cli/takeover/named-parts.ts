/** Parts that options name (returners, external pillars …): those that Brine or a later Salt does not have. */
import type { Options } from '../../config/option.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { AUTH_BACKENDS } from '../../plugins/registry/auth/table.generated.ts';
import { BEACON_TABLE } from '../../plugins/registry/beacon/table.generated.ts';
import { ENGINE_ALIASES } from '../../plugins/registry/engine/known.ts';
import { ENGINE_TABLE } from '../../plugins/registry/engine/table.generated.ts';
import { sinkNames } from '../../plugins/registry/returner/sink.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { EXT_PILLARS } from '../../runtime/pillar/ext/names.ts';
import { GONE_TITLES, goneFrom, goneText, type LaterSalt } from '../../runtime/sls-check/later-salt.ts';
import type { GoneKind } from '../../runtime/sls-check/gone-in-3008.ts';
import { placeOf } from './config-files.ts';
import type { LookedAt } from './configuration.ts';
import type { Remark, Subject } from './remark.ts';

/** Options, how names stand in one, and the names that there are. */
interface NamedKind {
  readonly kind: GoneKind;
  readonly options: readonly string[];
  readonly names: (value: Value) => readonly string[];
  readonly ours: () => Iterable<string>;
  /** The folder of a site's own. */
  readonly folder: string;
}

/** A text of names between commas, or a list. */
const texts = (value: Value): string[] =>
  (Array.isArray(value) ? value.map(pyStr) : [pyStr(value)])
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
/** The keys of a mapping. */
const keys = (value: Value): string[] => (isDict(value) ? [...value.keys()].map(pyStr) : []);
/** The first key of each mapping in a list, or the keys of a mapping. */
const entries = (value: Value): string[] =>
  Array.isArray(value)
    ? value.flatMap((item) => (isDict(item) ? keys(item).slice(0, 1) : [pyStr(item)]))
    : keys(value);

const NAMED: readonly NamedKind[] = [
  {
    kind: 'returners',
    options: ['master_job_cache', 'ext_job_cache', 'event_return', 'return', 'schedule_returner'],
    names: texts,
    ours: () => [...sinkNames(), 'local_cache', 'multi_returner'],
    folder: '_returners',
  },
  { kind: 'pillars', options: ['ext_pillar'], names: entries, ours: () => EXT_PILLARS, folder: '_pillar' },
  { kind: 'beacons', options: ['beacons'], names: keys, ours: () => BEACON_TABLE.keys(), folder: '_beacons' },
  {
    kind: 'engines',
    options: ['engines'],
    names: entries,
    ours: () => [...ENGINE_TABLE.keys(), ...ENGINE_ALIASES.keys(), 'reactor'],
    folder: '_engines',
  },
  {
    kind: 'auths',
    options: ['external_auth'],
    names: keys,
    ours: () => AUTH_BACKENDS.keys(),
    folder: '_auth',
  },
];

/**
 * Looks at the names in the options of one program.
 * @param own names of the site's own modules, by folder
 */
export function lookAtNamedParts(
  { role, files, options }: LookedAt,
  later: LaterSalt | undefined,
  own: ReadonlyMap<string, ReadonlySet<string>>,
): Remark[] {
  if (options === undefined) return [];
  const subject: Subject = `configuration of the ${role}`;
  return NAMED.flatMap(({ kind, options: names, names: namesIn, ours, folder }) =>
    names.flatMap((option): Remark[] => {
      const place = placeOf(files, option);
      if (place === undefined) return [];
      const known = new Set(ours());
      return namesIn(valueOf(options, option)).flatMap((name): Remark[] => {
        if (own.get(folder)?.has(name) === true) return [];
        const isHere = known.has(name);
        const gone = goneFrom(later, kind, name, isHere);
        return [
          ...(isHere ? [] : [missing(subject, option, kind, name, known, place)]),
          ...(gone === undefined
            ? []
            : [
                {
                  subject,
                  verdict: 'gone',
                  message: `${option}: ${goneText(later, gone)}`,
                  ...place,
                } as const,
              ]),
        ];
      });
    }),
  );
}

function valueOf(options: Options, option: string): Value {
  return options.raw(option) ?? null;
}

function missing(
  subject: Subject,
  option: string,
  kind: GoneKind,
  name: string,
  known: ReadonlySet<string>,
  place: { readonly path: string; readonly line: number },
): Remark {
  const message = `${option}: there is no ${GONE_TITLES[kind]} '${name}'.${didYouMean(name, known)}`;
  return { subject, verdict: 'missing', message, ...place };
}

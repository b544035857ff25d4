/** What a run of a cluster under faults left behind, and what is wrong with it. */

/** A job that was given to a master. */
export interface GivenJob {
  /** Stands in the job's argument, and in the file of each minion that ran it. */
  readonly token: string;
  readonly master: string;
  /** True when the command said that the job was refused. */
  readonly isRefused: boolean;
  /** Minions whose return the command showed. */
  readonly returned: readonly string[];
}

/** A master's job cache: minions with a return, by the token of the job. */
export type JobCacheView = ReadonlyMap<string, readonly string[]>;

/** Everything that is looked at when all is well again. */
export interface Evidence {
  readonly jobs: readonly GivenJob[];
  /** The tokens that each minion ran, as often as it did, in order. */
  readonly ran: ReadonlyMap<string, readonly string[]>;
  /** Of minions that do not keep what no master takes: the tokens whose return a master has acknowledged. */
  readonly acknowledged?: ReadonlyMap<string, readonly string[]>;
  /** By the master's name. */
  readonly caches: ReadonlyMap<string, JobCacheView>;
  /** Minions whose key was deleted, with the first job that was given afterwards. */
  readonly deleted: ReadonlyMap<string, string>;
  /** Ids with an accepted key, by the master's name. */
  readonly accepted: ReadonlyMap<string, readonly string[]>;
}

/** @returns a sentence for each thing that must not be; none when all is well */
export function violationsOf(evidence: Evidence): string[] {
  return [
    ...runTwice(evidence),
    ...refusedAndRun(evidence),
    ...missingReturns(evidence),
    ...differingCaches(evidence),
    ...servedAfterDeletion(evidence),
  ];
}

function runTwice({ ran }: Evidence): string[] {
  return [...ran].flatMap(([minion, tokens]) =>
    [...new Set(tokens.filter((token, index) => tokens.indexOf(token) !== index))].map(
      (token) => `${minion} ran ${token} ${tokens.filter((other) => other === token).length} times`,
    ),
  );
}

function refusedAndRun({ jobs, ran }: Evidence): string[] {
  const refused = new Set(jobs.filter(({ isRefused }) => isRefused).map(({ token }) => token));
  return [...ran].flatMap(([minion, tokens]) =>
    tokens
      .filter((token) => refused.has(token))
      .map((token) => `${minion} ran ${token}, which had been refused`),
  );
}

/**
 * What a minion ran it has returned in the end, and what a command showed was acknowledged: each job cache has both.
 */
function missingReturns({ jobs, ran, acknowledged, caches, deleted }: Evidence): string[] {
  const expected = new Map<string, Set<string>>();
  const expect = (token: string, minion: string): void => {
    const minions = expected.get(token) ?? new Set();
    expected.set(token, minions.add(minion));
  };
  for (const { token, returned } of jobs) for (const minion of returned) expect(token, minion);
  for (const [minion, tokens] of ran)
    if (!deleted.has(minion)) for (const token of acknowledged?.get(minion) ?? tokens) expect(token, minion);
  return [...caches].flatMap(([master, cache]) =>
    [...expected].flatMap(([token, minions]) =>
      [...minions]
        .filter((minion) => !(cache.get(token) ?? []).includes(minion))
        .map((minion) => `the job cache of ${master} lacks what ${minion} returned of ${token}`),
    ),
  );
}

function differingCaches({ caches }: Evidence): string[] {
  const [first, ...others] = [...caches];
  if (first === undefined) return ['no job cache was looked at'];
  const text = (cache: JobCacheView): string[] =>
    [...cache].map(([token, minions]) => `${token}: ${[...minions].sort().join(' ')}`).sort();
  const expected = new Set(text(first[1]));
  return others.flatMap(([master, cache]) => {
    const lines = text(cache);
    const strange =
      lines.find((line) => !expected.has(line)) ?? [...expected].find((line) => !lines.includes(line));
    if (strange === undefined) return [];
    const token = strange.slice(0, strange.indexOf(':'));
    const shown = ([name, view]: readonly [string, JobCacheView]): string =>
      `${name} has ${view.get(token)?.join(' ') ?? 'no such job'}`;
    return [
      `the job caches of ${first[0]} and ${master} differ: ${strange} (${shown(first)}; ${shown([master, cache])})`,
    ];
  });
}

function servedAfterDeletion({ jobs, ran, deleted, accepted }: Evidence): string[] {
  const places = new Map(jobs.map(({ token }, index) => [token, index]));
  const ranAfterwards = [...deleted].flatMap(([minion, firstToken]) => {
    const from = places.get(firstToken) ?? Infinity;
    return (ran.get(minion) ?? [])
      .filter((token) => (places.get(token) ?? -1) >= from)
      .map((token) => `${minion} ran ${token} after its key was deleted`);
  });
  const stillAccepted = [...accepted].flatMap(([master, ids]) =>
    ids.filter((id) => deleted.has(id)).map((id) => `${master} has a key of ${id} again, which was deleted`),
  );
  return [...ranAfterwards, ...stillAccepted];
}

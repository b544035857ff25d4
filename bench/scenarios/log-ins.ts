/**
 * `log-ins`: log-ins by a file of names and digests, each of which makes a token; and what is left for others while
 * log-ins by bcrypt come as fast as they can.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { dict, isDict } from '../../src/python/values/value.ts';
import { sampled, single, type Figure } from '../figure.ts';
import { Fleet } from '../fleet.ts';
import { pause } from '../processes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const NAME = 'log-ins';
const USERS = 50;
const IN_FLIGHT = 16;
const MEASURE_MS = { brine: 5_000, salt: 10_000 };
const BCRYPT_COST = 10;
const FLOOD_IN_FLIGHT = 40;
const PING_EVERY_MS = 20;
const WAIT_MS = 60_000;

/** Log-ins. */
export const logIns: Scenario = {
  name: NAME,
  isLong: true,
  run: async (context) => {
    const figures = [...(await byDigest(context))];
    // a real Salt's needs a library for such files that it does not bring
    if (context.fleet.kind.name === 'brine') figures.push(...(await besideAFlood(context)));
    return figures;
  },
};

const userName = (number: number): string => `user${number % USERS}`;

/** A master whose users are in a file. @param lines of the file @param options of `external_auth` for it */
async function withUsers<T>(
  { fleet: { kind, groups } }: ScenarioContext,
  lines: readonly string[],
  options: string,
  measure: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-lo-'));
  const file = join(folder, 'users');
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const rules = Array.from({ length: USERS }, (_, number) => `${userName(number)}: ['.*']`).join(', ');
  const fleet = await Fleet.start(kind, join(folder, 'm'), groups, [
    `external_auth: {file: {^filename: ${file}, ${options}, ${rules}}}`,
  ]);
  try {
    return await measure(fleet);
  } finally {
    await fleet.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isLoggedIn(fleet: Fleet, username: string, password: string): Promise<boolean> {
  const load = dict({ cmd: 'mk_token', eauth: 'file', username, password });
  const reply = await fleet.request(load, WAIT_MS);
  return isDict(reply as never) && (reply as Map<string, unknown>).has('token');
}

/** Logs in again and again until the time is over. @returns how often, and how long each took */
async function logInFor(
  fleet: Fleet,
  inFlight: number,
  endMs: number,
  passwordOf: (number: number) => {
    readonly name: string;
    readonly password: string;
    readonly isRight: boolean;
  },
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const { name, password, isRight } = passwordOf(next++);
      const startedMs = performance.now();
      if ((await isLoggedIn(fleet, name, password)) !== isRight)
        throw new Error(`the log-in of ${name} ${isRight ? 'failed' : 'was taken'}`);
      times.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return times;
}

async function byDigest(context: ScenarioContext): Promise<Figure[]> {
  const digest = (text: string): string => createHash('sha512').update(text).digest('hex');
  const lines = Array.from(
    { length: USERS },
    (_, number) => `${userName(number)}:${digest(`secret${number}`)}`,
  );
  return withUsers(context, lines, '^hashtype: sha512', async (fleet) => {
    context.step('by a file of digests');
    await isLoggedIn(fleet, userName(0), 'secret0');
    const startedMs = performance.now();
    const times = await logInFor(fleet, IN_FLIGHT, startedMs + MEASURE_MS[fleet.kind.name], (number) => ({
      name: userName(number),
      password: `secret${number % USERS}`,
      isRight: true,
    }));
    const rate = (times.length / (performance.now() - startedMs)) * 1000;
    return [
      single({ scenario: NAME, name: 'by file: log-ins/s', unit: '/s', better: 'higher' }, rate),
      sampled(
        { scenario: NAME, name: `by file: a log-in of ${IN_FLIGHT}`, unit: 'ms', better: 'lower' },
        times,
      ),
    ];
  });
}

/**
 * Log-ins by bcrypt, half of them of names that are not there or with wrong passwords, and requests of others beside
 * them.
 */
async function besideAFlood(context: ScenarioContext): Promise<Figure[]> {
  const hash = await bcrypt.hash('secret', BCRYPT_COST);
  const lines = Array.from({ length: USERS }, (_, number) => `${userName(number)}:${hash}`);
  return withUsers(context, lines, '^filetype: htpasswd', async (fleet) => {
    context.step('a flood of log-ins by bcrypt');
    const endMs = performance.now() + MEASURE_MS.brine;
    const floods = [
      logInFor(fleet, FLOOD_IN_FLIGHT / 2, endMs, (number) => ({
        name: userName(number),
        password: 'secret',
        isRight: true,
      })),
      logInFor(fleet, FLOOD_IN_FLIGHT / 2, endMs, (number) => ({
        name: `nobody${number}`,
        password: 'guess',
        isRight: false,
      })),
    ];
    const pings: number[] = [];
    while (performance.now() < endMs) {
      const startedMs = performance.now();
      await fleet.request(dict({ cmd: 'ping' }), WAIT_MS);
      pings.push(performance.now() - startedMs);
      await pause(PING_EVERY_MS);
    }
    const [right = []] = await Promise.all(floods);
    const rate = (right.length / MEASURE_MS.brine) * 1000;
    return [
      single({ scenario: NAME, name: 'flood: log-ins by bcrypt/s', unit: '/s', better: 'higher' }, rate),
      sampled({ scenario: NAME, name: 'flood: a ping beside it', unit: 'ms', better: 'lower' }, pings),
    ];
  });
}

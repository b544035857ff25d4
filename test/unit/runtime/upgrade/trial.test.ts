import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock, Timer } from '../../../../src/host/clock.ts';
import {
  Trial,
  type ChildWord,
  type TrialChild,
  type TrialEnd,
  type WatcherWord,
} from '../../../../src/runtime/upgrade/trial.ts';

/** Time that goes on by hand. */
class HandClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ atMs: number; everyMs: number | undefined; run: () => void }>();

  nowMs(): number {
    return this.#now;
  }

  monotonicMs(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#add(delayMs, undefined, run);
  }

  every(periodMs: number, run: () => void): Timer {
    return this.#add(periodMs, periodMs, run);
  }

  sleep(): Promise<void> {
    return Promise.resolve();
  }

  #add(delayMs: number, everyMs: number | undefined, run: () => void): Timer {
    const timer = { atMs: this.#now + delayMs, everyMs, run };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  async pass(ms: number): Promise<void> {
    for (const untilMs = this.#now + ms; this.#now < untilMs;) {
      this.#now += 100;
      for (const timer of [...this.#timers].filter(({ atMs }) => atMs <= this.#now)) {
        if (timer.everyMs === undefined) this.#timers.delete(timer);
        else timer.atMs += timer.everyMs;
        timer.run();
      }
      await Promise.resolve();
    }
  }
}

/** A minion that does what a test says. */
class Child implements TrialChild {
  readonly pid = 1;
  readonly heard: string[] = [];
  readonly signals: string[] = [];
  memory = 50;
  word: (word: ChildWord) => void = () => undefined;
  end: (how: string) => void = () => undefined;

  say(word: WatcherWord): void {
    this.heard.push(word.brine);
  }

  kill(signal: string): void {
    this.signals.push(signal);
  }

  memoryBytes(): number {
    return this.memory;
  }

  onWord(heard: (word: ChildWord) => void): void {
    this.word = heard;
  }

  onEnd(ended: (how: string) => void): void {
    this.end = ended;
  }

  async joins(): Promise<void> {
    this.word({ brine: 'prepared' });
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    this.word({ brine: 'alive', isUp: true });
    this.word({ brine: 'proof' });
  }
}

function begun(): {
  clock: HandClock;
  child: Child;
  done: string[];
  end: Promise<TrialEnd>;
  living: (ms: number, isUp?: boolean) => Promise<void>;
} {
  const [clock, child, done] = [new HandClock(), new Child(), [] as string[]];
  const trial = new Trial({
    ...{ child, clock, trialMs: 60_000, memoryBytesMax: 100 },
    retire: () => {
      done.push('retired');
      return Promise.resolve(['key']);
    },
    commit: () => void done.push('committed'),
  });
  const living = async (ms: number, isUp = true): Promise<void> => {
    for (let at = 0; at < ms; at += 2_000) {
      child.word({ brine: 'alive', isUp });
      await clock.pass(2_000);
    }
  };
  return { clock, child, done, end: trial.run(), living };
}

async function failure(end: Promise<TrialEnd>): Promise<string> {
  const ended = await end;
  return ended.isTrusted ? 'trusted' : `${ended.step}: ${ended.reason}`;
}

test('trial - a minion that joins, runs a job and lives is trusted, and told so', async () => {
  const { child, done, end, living } = begun();
  await child.joins();
  await living(62_000);
  assert.deepEqual(done, ['retired', 'committed']);
  child.word({ brine: 'kept' });
  assert.equal((await end).isTrusted, true);
  assert.deepEqual(child.heard, ['join', 'trusted']);
  assert.deepEqual(child.signals, []);
});

test('trial - one that is not ready in time leaves the old minion where it is', async () => {
  const { clock, child, done, end } = begun();
  await clock.pass(30_000);
  assert.match(await failure(end), /^start: it was not ready to join its master within 25 seconds/);
  assert.deepEqual(done, []);
  assert.deepEqual(child.signals, ['SIGKILL']);
});

test('trial - one that joins and runs no job', async () => {
  const { clock, child, done, end } = begun();
  child.word({ brine: 'prepared' });
  await clock.pass(30_000);
  assert.match(await failure(end), /^join: it did not join its master and run a job/);
  assert.deepEqual(done, ['retired']);
});

test('trial - one that says itself that its job failed', async () => {
  const { clock, child, end } = begun();
  child.word({ brine: 'prepared' });
  await clock.pass(100);
  child.word({ brine: 'failed', reason: 'no worker' });
  assert.equal(await failure(end), 'join: no worker');
});

test('trial - one that ends, hangs or takes too much memory on the way', async () => {
  const ended = begun();
  await ended.child.joins();
  await ended.living(10_000);
  ended.child.end('signal SIGABRT');
  assert.equal(await failure(ended.end), 'trial: it ended by itself (signal SIGABRT)');
  const silent = begun();
  await silent.child.joins();
  await silent.clock.pass(25_000);
  assert.match(await failure(silent.end), /^trial: it said nothing for 20 seconds/);
  const fat = begun();
  await fat.child.joins();
  fat.child.memory = 101;
  await fat.clock.pass(1_000);
  assert.match(await failure(fat.end), /^trial: it took 0 MB of memory/);
  for (const { done } of [ended, silent, fat]) assert.deepEqual(done, ['retired']);
});

test('trial - without its master at the end it is given some time, and no more', async () => {
  const lost = begun();
  await lost.child.joins();
  await lost.living(100_000, false);
  assert.match(await failure(lost.end), /^trial: it had no connection to its master at the end/);
  const late = begun();
  await late.child.joins();
  await late.living(70_000, false);
  await late.living(4_000);
  assert.deepEqual(late.done, ['retired', 'committed']);
  late.child.word({ brine: 'kept' });
  assert.equal((await late.end).isTrusted, true);
});

test('trial - one that does not even take note is trusted all the same, since it is written down', async () => {
  const { child, end, living } = begun();
  await child.joins();
  await living(80_000);
  assert.equal((await end).isTrusted, true);
});

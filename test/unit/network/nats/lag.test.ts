import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LagWatch } from '../../../../src/network/nats/lag.ts';

/** A stream and a reader of it, as the watch sees them. */
class Scene {
  next = 5;
  isTaking = false;
  place = 4;
  message = 4;
  isAway = false;
  readonly asked: string[] = [];
  readonly watch = new LagWatch({
    next: () => this.next,
    isTaking: () => this.isTaking,
    lastPlace: () => this.#answer('place', this.place),
    lastMessage: () => this.#answer('message', this.message),
  });

  /** Writes a message. */
  write(): void {
    this.message = ++this.place;
  }

  #answer(what: string, value: number): Promise<number> {
    this.asked.push(what);
    return this.isAway ? Promise.reject(new Error('no server')) : Promise.resolve(value);
  }
}

test('a reader is stuck when a message waits for it at two looks', async () => {
  const scene = new Scene();
  assert.equal(await scene.watch.look(), 'well');
  scene.write();
  assert.equal(await scene.watch.look(), 'behind');
  assert.equal(await scene.watch.look(), 'stuck');
  assert.equal(await scene.watch.look(), 'behind', 'the reader that comes after it has its time, too');
});

test('a reader that goes on between two looks is not stuck, however much waits', async () => {
  const scene = new Scene();
  scene.place = scene.message = 100;
  for (; scene.next < 10; scene.next++) assert.equal(await scene.watch.look(), 'behind');
});

test('a reader whose message is being taken is not stuck', async () => {
  const scene = new Scene();
  scene.write();
  scene.isTaking = true;
  for (let look = 0; look < 3; look++) assert.equal(await scene.watch.look(), 'well');
  scene.isTaking = false;
  assert.equal(await scene.watch.look(), 'behind');
});

test('places that servers have refused are no messages, and are asked about once', async () => {
  const scene = new Scene();
  scene.place = 7;
  for (let look = 0; look < 3; look++) assert.equal(await scene.watch.look(), 'well');
  assert.deepEqual(scene.asked, ['place', 'message', 'place', 'place']);
  scene.write();
  assert.equal(await scene.watch.look(), 'behind');
});

test('nothing is said of a reader while no server answers', async () => {
  const scene = new Scene();
  scene.write();
  assert.equal(await scene.watch.look(), 'behind');
  scene.isAway = true;
  assert.equal(await scene.watch.look(), 'well');
  scene.isAway = false;
  assert.equal(await scene.watch.look(), 'behind');
});

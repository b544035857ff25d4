/** Traces where one side is a real Salt: it takes no notice of the field, and its own part of the trace is missing. */
import assert from 'node:assert/strict';
import { ours, until } from '../support/fleet.ts';
import { startCollector, type Collector } from '../support/otlp-stand-in.ts';
import { createFleet, interop, joinThroughPending, untilAnswers } from './real-salt.ts';

const namesOf = ({ spans }: Collector, fun: string): string[] =>
  spans.map(({ service, name }) => `${service}: ${name}`).filter((name) => name.endsWith(` ${fun}`));

interop(
  'a real minion does what our traced master asks, and its returns stand below the publication',
  async (t, real) => {
    const collector = await startCollector(t);
    const fleet = await createFleet(t, [`otlp_endpoint: ${collector.url}`]);
    await fleet.startMaster();
    await joinThroughPending(fleet, 'r1', { minion: real, keys: ours });
    await untilAnswers(fleet, 'r1', ours);
    assert.deepEqual(await fleet.json(['r1', 'test.echo', 'traced']), { r1: 'traced' });
    await until('its spans', () => namesOf(collector, 'test.echo').length >= 3);
    const [trace] = new Set(
      collector.spans.filter(({ name }) => name.endsWith('test.echo')).map(({ traceId }) => traceId),
    );
    const spans = collector.spans.filter(({ traceId }) => traceId === trace);
    const byName = new Map(spans.map((span) => [span.name, span]));
    assert.deepEqual([...byName.keys()].sort(), [
      'job test.echo',
      'publish test.echo',
      'take return test.echo',
    ]);
    assert.equal(byName.get('take return test.echo')?.parentSpanId, byName.get('publish test.echo')?.spanId);
    assert.equal(byName.get('publish test.echo')?.parentSpanId, byName.get('job test.echo')?.spanId);
    // a real minion hands every field of a publication to functions that take keywords
    const seen = JSON.stringify(await fleet.json(['r1', 'test.kwarg', 'a=1']));
    assert.match(seen, /"__pub_traceparent":"00-[0-9a-f]{32}-[0-9a-f]{16}-01"/);
    assert.deepEqual(collector.faults, []);
  },
);

interop(
  'a real master takes the returns of our traced minion, and jobs of our traced command',
  async (t, real) => {
    const collector = await startCollector(t);
    const fleet = await createFleet(t, [`otlp_endpoint: ${collector.url}`]);
    await fleet.startMaster(real);
    await joinThroughPending(fleet, 'o1', {
      minion: ours,
      keys: real,
      options: [`otlp_endpoint: ${collector.url}`],
    });
    await untilAnswers(fleet, 'o1', real);
    assert.deepEqual(await fleet.json(['o1', 'test.echo', 'a'], real), { o1: 'a' });
    assert.deepEqual(await fleet.json(['o1', 'test.echo', 'b']), { o1: 'b' });
    await until('the spans of both', () => namesOf(collector, 'test.echo').length >= 5);
    assert.deepEqual(namesOf(collector, 'test.echo').sort(), [
      'salt-minion: return test.echo',
      'salt-minion: return test.echo',
      'salt-minion: run test.echo',
      'salt-minion: run test.echo',
      'salt: job test.echo',
    ]);
    const jobs = await fleet.run('salt-run', ['jobs.list_jobs', '--out', 'json'], real);
    assert.match(jobs.stdout, /test\.echo/);
    assert.deepEqual(collector.faults, []);
  },
);

/** What containers print. */
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { innerDict, inspectContainer } from './container-facts.ts';
import { askDaemon } from './daemon.ts';

const HEAD_BYTES = 8;

/** Frames put together: a byte for the stream, three of nothing, four for the length. */
function unframed(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length;) {
    const length = bytes.readUInt32BE(at + 4);
    parts.push(bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length));
    at += HEAD_BYTES + length;
  }
  return Buffer.concat(parts);
}

/** `docker.logs`. @param options stdout, stderr, timestamps, tail, since and follow */
export async function containerLogs(ctx: ModuleContext, name: string, options: Dict): Promise<string> {
  const flag = (key: string, otherwise: boolean): number => (truthy(options.get(key) ?? otherwise) ? 1 : 0);
  const text = (key: string, otherwise: Value): Value => {
    const value = options.get(key) ?? null;
    return value === null ? otherwise : pyStr(value);
  };
  const bytes = await askDaemon(ctx, {
    path: ['containers', name, 'logs'],
    query: {
      stderr: flag('stderr', true),
      stdout: flag('stdout', true),
      timestamps: flag('timestamps', false),
      follow: flag('follow', false),
      tail: text('tail', 'all'),
      since: text('since', null),
    },
    timeoutSeconds: 0,
  });
  const isTerminal = truthy(innerDict(await inspectContainer(ctx, name), 'Config').get('Tty') ?? null);
  return (isTerminal ? bytes : unframed(bytes)).toString('utf8');
}

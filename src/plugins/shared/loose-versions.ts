/**
 * Comparing versions of anything, as Python's LooseVersion does with Salt's additions (3006.16 salt/utils/versions.py).
 */
import { compareText } from '../../python/values/order.ts';

type Part = number | string;

function partsOf(version: string): Part[] {
  return version
    .split(/(\d+|[a-z]+|\.)/)
    .filter((part) => part !== '' && part !== '.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** A part as text: numbers with zeros before them, so that they are in their order. */
const asText = (part: Part): string =>
  typeof part === 'number' ? String(part).padStart(8, '0') : part.replaceAll('*', '0');

/** Below, at or above zero. Where one of the versions has letters, all parts are compared as texts. */
export function compareLoose(a: string, b: string): number {
  const [x, y] = [partsOf(a), partsOf(b)];
  const areNumbers = [...x, ...y].every((part) => typeof part === 'number');
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const [one, other] = [x[i] as Part, y[i] as Part];
    const order = areNumbers ? Number(one) - Number(other) : compareText(asText(one), asText(other));
    if (order !== 0) return order;
  }
  return x.length - y.length;
}

/** `raw`: the return as a Python literal (3006.16 salt/output/raw.py). */
import { pyStr } from '../../python/values/repr.ts';
import type { Outputter } from './outputter.ts';

/** The `raw` outputter. */
export const raw: Outputter = { name: 'raw', render: pyStr };

/** What happened while an image was fetched (3006.16 salt/modules/dockermod.py `_pull_status`, `_error_detail`). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** The message of an error, with its code. */
export function errorText(detail: Value): string {
  if (!isDict(detail)) return pyStr(detail);
  const message = pyStr(detail.get('message') ?? null);
  const code = detail.get('code');
  return code === undefined ? message : `${pyStr(code)}: ${message}`;
}

/** Facts that grow with each message of the daemon. */
export class PullReport {
  readonly facts: Dict;
  readonly errors: string[] = [];
  readonly #known: readonly string[];

  /** @param known the short ids of the images that were there before */
  constructor(facts: Dict, known: readonly string[]) {
    this.facts = facts;
    this.#known = known;
  }

  /** Takes a message in. */
  add(event: Dict): void {
    const [first] = event.keys();
    if (first === 'status') this.#status(pyStr(event.get('status') ?? ''), event.get('id') ?? null);
    else if (first === 'errorDetail') this.errors.push(errorText(event.get('errorDetail') ?? null));
  }

  /** The facts, with the errors. */
  whole(): Dict {
    if (this.errors.length > 0) this.facts.set('Errors', this.errors).set('retcode', 1);
    return this.facts;
  }

  #status(status: string, id: Value): void {
    if (status === 'Already exists') this.#layer('Already_Pulled', id);
    else if (status !== '' && 'Pull complete'.includes(status)) this.#layer('Pulled', id);
    else if (status.startsWith('Status: ')) this.facts.set('Status', status.slice('Status: '.length));
    else if (status === 'Download complete')
      this.#layer(this.#known.includes(pyStr(id)) ? 'Already_Pulled' : 'Pulled', id);
  }

  #layer(kind: 'Already_Pulled' | 'Pulled', id: Value): void {
    const found = this.facts.get('Layers');
    const layers = isDict(found) ? found : dict();
    const given = layers.get(kind);
    const ids = Array.isArray(given) ? given : [];
    if (!ids.includes(id)) ids.push(id);
    this.facts.set('Layers', layers.set(kind, ids));
  }
}

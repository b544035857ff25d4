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

/** Facts that grow with each message of the daemon: what it says of layers is up to the kind of report. */
abstract class LayerReport {
  readonly facts: Dict;
  readonly errors: string[] = [];

  constructor(facts: Dict) {
    this.facts = facts;
  }

  /** Takes a message in. */
  add(event: Dict): void {
    const [first] = event.keys();
    if (first === 'status') this.status(pyStr(event.get('status') ?? ''), event.get('id') ?? null);
    else if (first === 'errorDetail') this.errors.push(errorText(event.get('errorDetail') ?? null));
  }

  /** The facts, with the errors. */
  whole(): Dict {
    if (this.errors.length > 0) this.facts.set('Errors', this.errors).set('retcode', 1);
    return this.facts;
  }

  protected abstract status(status: string, id: Value): void;

  protected layer(kind: string, id: Value): void {
    const found = this.facts.get('Layers');
    const layers = isDict(found) ? found : dict();
    const given = layers.get(kind);
    const ids = Array.isArray(given) ? given : [];
    if (!ids.includes(id)) ids.push(id);
    this.facts.set('Layers', layers.set(kind, ids));
  }
}

/** What happened while an image was fetched. */
export class PullReport extends LayerReport {
  readonly #known: readonly string[];

  /** @param known the short ids of the images that were there before */
  constructor(facts: Dict, known: readonly string[]) {
    super(facts);
    this.#known = known;
  }

  protected override status(status: string, id: Value): void {
    if (status === 'Already exists') this.layer('Already_Pulled', id);
    else if (status !== '' && 'Pull complete'.includes(status)) this.layer('Pulled', id);
    else if (status.startsWith('Status: ')) this.facts.set('Status', status.slice('Status: '.length));
    else if (status === 'Download complete')
      this.layer(this.#known.includes(pyStr(id)) ? 'Already_Pulled' : 'Pulled', id);
  }
}

/** What happened while an image was sent to its registry (3006.16 salt/modules/dockermod.py `_push_status`). */
export class PushReport extends LayerReport {
  protected override status(said: string, id: Value): void {
    const status = said.toLowerCase();
    if (id === null) return;
    if (status.includes('already pushed') || status.includes('already exists'))
      this.layer('Already_Pushed', id);
    else if (status.includes('successfully pushed') || status === 'pushed') this.layer('Pushed', id);
  }
}

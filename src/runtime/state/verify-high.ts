/** Checking high data before anything is made of it (3006.16 salt/state.py `State.verify_high`), in Salt's words. */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, pyTypeName, type Dict, type Value } from '../../python/values/value.ts';
import { isPrivate, nameIn, shownValue } from './high-data.ts';

/** The requisites whose lists are looked at. */
const CHECKED_REQUISITES: ReadonlySet<Value> = new Set(['require', 'watch', 'prereq', 'onchanges']);

/** What an id requires: `state` is its module, every other key a target with the module named for it. */
type Required = Map<Value, Value>;

/** @returns what is wrong, empty when nothing is */
export function verifyHigh(high: Dict): string[] {
  const checker = new HighChecker();
  for (const [id, body] of high) if (!isPrivate(id)) checker.checkId(id, body);
  return checker.errors;
}

/** One module in the body of an id. */
interface Place {
  readonly id: Value;
  readonly name: string;
  readonly sls: string;
  readonly module: string;
}

class HighChecker {
  readonly errors: string[] = [];
  readonly #required = new Map<Value, Required>();

  checkId(id: Value, body: Value): void {
    const name = pyStr(id);
    if (typeof id !== 'string') {
      const sls = isDict(body) ? nameIn(body, '__sls__') : '';
      this.errors.push(
        `ID '${name}' in SLS '${sls}' is not formed as a string, but is a ${pyTypeName(id)}. It may need to be quoted.`,
      );
    }
    if (!isDict(body)) {
      this.errors.push(`The type ${name} in ${shownValue(body)} is not formatted as a dictionary`);
      return;
    }
    for (const [module, list] of body) {
      if (typeof module !== 'string' || isPrivate(module)) continue;
      this.#checkModule({ id, name, sls: nameIn(body, '__sls__'), module }, list);
    }
  }

  #checkModule(place: Place, list: Value): void {
    const { name, sls, module } = place;
    if (list === null) {
      this.errors.push(
        `ID '${name}' in SLS '${sls}' contains a short declaration (${module}) with a trailing colon. ` +
          'When not passing any arguments to a state, the colon must be omitted.',
      );
      return;
    }
    if (!Array.isArray(list)) {
      this.errors.push(`State '${name}' in SLS '${sls}' is not formed as a list`);
      return;
    }
    const functions = module.includes('.') ? [module.slice(module.indexOf('.') + 1)] : [];
    for (const item of list) {
      if (isDict(item)) this.#checkArgument(place, item);
      if (typeof item !== 'string') continue;
      functions.push(item);
      if (item.trim().includes(' ')) {
        this.errors.push(
          `The function "${item}" in state "${name}" in SLS "${sls}" has whitespace, a function with whitespace is ` +
            'not supported, perhaps this is an argument that is missing a ":"',
        );
      }
    }
    this.#checkCount(place, functions);
  }

  #checkCount({ name, sls, module }: Place, functions: readonly string[]): void {
    if (functions.length === 0 && module !== 'require' && module !== 'watch')
      this.errors.push(`No function declared in state '${name}' in SLS '${sls}'`);
    if (functions.length > 1) {
      this.errors.push(
        `Too many functions declared in state '${name}' in SLS '${sls}'. Please choose one of the following: ` +
          functions.join(', '),
      );
    }
  }

  #checkArgument(place: Place, item: Dict): void {
    const { name, sls } = place;
    const [first] = item;
    if (first === undefined) return;
    const [argument, value] = first;
    if (argument === 'names' && !Array.isArray(value)) {
      this.errors.push(
        `The 'names' argument in state '${name}' in SLS '${sls}' needs to be formed as a list`,
      );
    }
    if (!CHECKED_REQUISITES.has(argument)) return;
    if (Array.isArray(value)) this.#checkRequisites(place, value);
    else {
      this.errors.push(
        `The ${pyStr(argument)} statement in state '${name}' in SLS '${sls}' needs to be formed as a list`,
      );
    }
    if (item.size !== 1) {
      this.errors.push(`Multiple dictionaries defined in argument of state '${name}' in SLS '${sls}'`);
    }
  }

  #checkRequisites(place: Place, requisites: readonly Value[]): void {
    const { id, name, sls, module } = place;
    const required: Required = new Map([['state', module]]);
    this.#required.set(id, required);
    for (const given of requisites) {
      const requisite = typeof given === 'string' ? new Map<Value, Value>([['id', given]]) : given;
      if (!isDict(requisite)) {
        this.errors.push(
          `Requisite declaration ${shownValue(requisite)} in SLS ${sls} is not formed as a single key dictionary`,
        );
        continue;
      }
      const [first] = requisite;
      if (first === undefined) continue;
      const [kind, target] = first;
      const kindName = pyStr(kind);
      if (kindName.includes('.')) {
        this.errors.push(
          `Invalid requisite type '${kindName}' in state '${name}', in SLS '${sls}'. Requisite types must not ` +
            `contain dots, did you mean '${kindName.slice(0, kindName.indexOf('.'))}'?`,
        );
      }
      if (isDict(target) || Array.isArray(target)) {
        this.errors.push(`Illegal requisite "${shownValue(target)}", please check your syntax.\n`);
        continue;
      }
      required.set(target, kind);
      this.#checkRecursion(place, required, target);
    }
  }

  #checkRecursion({ id, name, sls, module }: Place, required: Required, target: Value): void {
    const other = this.#required.get(target);
    if (other === undefined || !other.has(id)) return;
    if (other.get(id) === module && other.get('state') === required.get(target)) {
      this.errors.push(`A recursive requisite was found, SLS "${sls}" ID "${name}" ID "${pyStr(target)}"`);
    }
  }
}

/** `dict.keys()`, `.values()` and `.items()`. */
import { OrderedDict } from '../../python/values/value.ts';
import { PyTuple, TObject, tuple, type TDict, type TValue } from './model.ts';
import { dictGet, eq, guarded } from './operators.ts';
import { repr } from './text-of.ts';

/** A live view of a mapping. */
export class DictView extends TObject {
  readonly typeName: string;
  readonly dict: TDict;
  readonly kind: 'keys' | 'values' | 'items';

  constructor(dict: TDict, kind: 'keys' | 'values' | 'items') {
    super();
    this.dict = dict;
    this.kind = kind;
    this.typeName = `${dict instanceof OrderedDict ? 'odict' : 'dict'}_${kind}`;
  }
  override get length(): number {
    return this.dict.size;
  }
  override truthy(): boolean {
    return this.dict.size > 0;
  }
  override *iterate(): Iterable<TValue> {
    for (const key of guarded(this.dict)) {
      if (this.kind === 'keys') yield key;
      else {
        const value = this.dict.get(key) as TValue;
        yield this.kind === 'values' ? value : tuple([key, value]);
      }
    }
  }
  /** The entries as they are stored, for loops that take them apart at once. */
  *pairs(): Iterable<TValue[]> {
    for (const key of guarded(this.dict)) yield [key, this.dict.get(key) as TValue];
  }
  override contains(item: TValue): boolean | undefined {
    if (this.kind === 'keys') return dictGet(this.dict, item) !== undefined;
    if (this.kind === 'values') return undefined;
    if (!(item instanceof PyTuple) || item.length !== 2) return false;
    const value = dictGet(this.dict, item[0] as TValue);
    return value !== undefined && eq(value, item[1] as TValue);
  }
  override equals(other: TValue): boolean {
    if (!(other instanceof DictView) || this.kind === 'values') return this === other;
    return other.length === this.length && [...this.iterate()].every((item) => other.contains(item) === true);
  }
  override repr(): string {
    return `${this.typeName}([${[...this.iterate()].map(repr).join(', ')}])`;
  }
}

/** Figures as a program of ours shows them, read again: numbers by name and labels. */

/** The numbers of a page; distributions as `…_sum` and `…_count`. */
export class ReadFigures {
  readonly #values: ReadonlyMap<
    string,
    readonly { readonly labels: ReadonlyMap<string, string>; readonly value: number }[]
  >;

  /** @param text in Prometheus' format; lines that are no figures are left out */
  constructor(text: string) {
    const values = new Map<string, { labels: ReadonlyMap<string, string>; value: number }[]>();
    for (const line of text.split('\n')) {
      const [, name, labels = '', number] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined || Number.isNaN(Number(number))) continue;
      values.set(name, [...(values.get(name) ?? []), { labels: readLabels(labels), value: Number(number) }]);
    }
    this.#values = values;
  }

  /** The sum over all labels; undefined for a figure that is not shown. */
  sum(name: string, label?: string, wanted?: string): number | undefined {
    const found = this.#values
      .get(name)
      ?.filter(({ labels }) => label === undefined || labels.get(label) === wanted);
    return found === undefined ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** A figure by one of its labels. */
  by(name: string, label: string): ReadonlyMap<string, number> {
    return new Map(
      (this.#values.get(name) ?? []).map(({ labels, value }) => [labels.get(label) ?? '', value]),
    );
  }
}

function readLabels(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

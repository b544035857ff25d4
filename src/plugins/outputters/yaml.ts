/** `yaml`: block style, keys sorted (3006.16 salt/output/yaml_out.py). */
import type { Value } from '../../python/values/value.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { unsuited, type Outputter, type OutputOptions } from './outputter.ts';

/** The `yaml` outputter. */
export const outputter: Outputter = { name: 'yaml', render: renderYaml };

/** A negative indent gives flow style. */
function renderYaml(data: Value, { indent }: OutputOptions): string {
  if (indent === undefined) return dumpYaml(data);
  if (typeof indent !== 'number') return unsuited('yaml takes a number as output_indent');
  return indent >= 0 ? dumpYaml(data, { indent }) : dumpYaml(data, { defaultFlowStyle: true, indent: 0 });
}

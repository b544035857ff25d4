/** `xml`: values in files of XML (3006.16 salt/states/xml.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

/** A value as it was given, and as it stands in the file. */
const asWritten = (given: Value): { readonly given: Value; readonly text: string } => ({
  given,
  text: pyStr(given),
});

/** The states of `xml`. */
export const xmlStates = defineModule({
  name: 'xml',
  file: 'xml',
  doc: 'Values in files of XML.',
  functions: {
    value_present: defineState({
      doc: 'Makes sure that an element has a text. One without a text is none, as with Salt.',
      params: {
        name: param.text({ doc: 'The file.' }),
        xpath: param.text({ doc: "The path to the element: .//playwright[@id='1']." }),
        value: param.by(asWritten, { type: 'str', doc: 'The text.' }),
      },
      kwargs: 'kwargs',
      run: async (ctx, { name, xpath, value }) => {
        const now = await ctx.functions.call('xml.get_value', [name, xpath]);
        if (!truthy(now)) return failure(name, `xpath query ${xpath} not found in ${name}`);
        // Salt compat: a number is never the same for Salt, which writes it each time
        if (now === value.text) return outcome(name, true, `${value.text} is already present`);
        const changes = dict({ [name]: dict({ old: now, new: value.given }) });
        if (ctx.state.test) return outcome(name, null, `${name} will be updated`, changes);
        const isDone = truthy(await ctx.functions.call('xml.set_value', [name, xpath, value.text]));
        return outcome(name, isDone, `${name} updated`, changes);
      },
    }),
  },
});

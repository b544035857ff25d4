/** `smtp`: mails from states (3006.16 salt/states/smtp.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState } from '../shared/state-function.ts';

const listed = (value: Value): string[] => (Array.isArray(value) ? value.map(pyStr) : []);

/** The states of `smtp`. */
export const smtpStates = defineModule({
  name: 'smtp',
  file: 'smtp',
  doc: 'Mails from states.',
  functions: {
    send_msg: defineState({
      doc: 'Sends a mail.',
      params: {
        name: param.text({ doc: 'The text of the mail.' }),
        recipient: param.text({ doc: 'Who gets it, with commas between them.' }),
        subject: param.value({ type: 'str', doc: 'Its subject.' }),
        sender: param.value({ default: null, type: 'str', doc: 'Who sends it.' }),
        profile: param.value({
          default: null,
          type: 'str',
          doc: 'A mapping in the configuration or the pillar that has the server, who sends and who logs in.',
        }),
        use_ssl: param.value({ default: 'True', type: 'str', doc: 'True: over TLS from the beginning.' }),
        attachments: param.value({ default: null, type: 'list of str', doc: 'Files to go with it.' }),
      },
      run: async (ctx, { name, recipient, profile, sender, attachments, ...rest }) => {
        if (profile === null && sender === null)
          return outcome(name, false, 'Missing parameter sender or profile for state smtp.send_msg');
        if (ctx.state.test) return outcome(name, null, `Need to send message to ${recipient}: ${name}`);
        const wish = dict({ message: name, recipient, profile, sender, attachments, ...rest });
        if (!truthy(await ctx.functions.call('smtp.send_msg', [], wish)))
          return outcome(name, false, `Unable to send message to ${recipient}: ${name}`);
        const files = listed(attachments);
        const more = files.length === 0 ? '' : ` with attachments (${files.join(', ')})`;
        return outcome(name, true, `Sent message to ${recipient}${more}: ${name}`);
      },
    }),
  },
});

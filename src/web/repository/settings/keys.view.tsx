import type { Page } from '../../../lib/paging.ts'
import type { pageOfDeployKeys } from '../../../repos/people/deploy-key.service.ts'
import { DeleteButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Pages } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { uiTexts as common } from '../../languages/texts.ts'
import { repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.keys

/** The deploy keys of a repository. */
export const KeysView = ({
  repository,
  keys,
  total,
  page,
}: Awaited<ReturnType<typeof pageOfDeployKeys>> & { readonly repository: SettingsRepository; readonly page: Page }) => (
  <SettingsFrame repository={repository} part="keys" lead={texts.lead}>
    <RowBox rows={keys} none={<Empty icon="key" title={texts.none} />}>
      {(key) => (
        <li class="row">
          <Icon name="key" class="muted" />
          <div class="row-main">
            <span class="row-title">{key.title}</span>
            <p class="row-facts">
              <code class="cut">{key.fingerprint}</code>
              <span>{key.is_read_only ? texts.readOnly : texts.mayWrite}</span>
              <Time unix={key.created_unix} />
            </p>
          </div>
          <DeleteButton
            to={settingsPath(repository, 'keys', key.id, 'delete')}

            label={texts.delete(key.title)}
            confirm={texts.deleteConfirm(key.title)}
          >
            {common.delete}
          </DeleteButton>
        </li>
      )}
    </RowBox>
    <Pages page={page.number} total={total} pageSize={page.limit} />
    <Section title={texts.add} id="add_key">
      <Form to={settingsPath(repository, 'keys')} class="stack">
        <Field name="title" label={texts.title} required isProse maxlength={50} />
        <TextArea name="content" label={texts.content} required isCode rows={3} placeholder="ssh-ed25519 …" />
        <Checkbox name="may_write" label={texts.write} />
        <SubmitRow>{texts.add}</SubmitRow>
      </Form>
    </Section>
  </SettingsFrame>
)

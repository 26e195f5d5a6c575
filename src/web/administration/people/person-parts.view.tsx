import { RowBox } from '../../ui/row-box.tsx'
import type { PublicKeyRow } from '../../../db/tables/accounts.ts'
import { DeleteButton, SubmitRow } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Checkbox, Field, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import { administrationTexts } from '../../languages/texts.ts'

const texts = administrationTexts.users

/** The SSH keys of an account. */
export const PersonKeys = ({ path, keys }: { readonly path: string; readonly keys: readonly PublicKeyRow[] }) => {
  const to = `${path}/keys`
  return (
    <Section title={texts.keys} id="keys">
      <div class="stack">
        <RowBox rows={keys} none={texts.noKeys}>
          {(key) => (
            <li class="row">
              <Icon name="key" class="row-icon" />
              <div class="row-main">
                <strong>{key.title}</strong>
                <p class="row-facts">
                  <code class="cut">{key.fingerprint}</code>
                  <span>
                    {texts.keyCreated} <Time unix={key.created_unix} />
                  </span>
                </p>
              </div>
              <DeleteButton
                to={`${to}/delete`}
                hidden={{ id: key.id }}

                confirm={texts.confirmKey(key.title)}
                label={texts.removeKeyOf(key.title)}
              >
                {texts.removeKey}
              </DeleteButton>
            </li>
          )}
        </RowBox>
        <Disclosure title={texts.addKey} to={to}>
          <Form to={to} class="stack">
            <Field name="title" label={texts.keyTitle} hint={texts.keyTitleHint} autocomplete="off" />
            <TextArea name="key" label={texts.publicKey} rows={4} required isCode />
            <SubmitRow kind="plain">{texts.addKey}</SubmitRow>
          </Form>
        </Disclosure>
      </div>
    </Section>
  )
}

/** The form of a repository that the account owns. */
export const PersonNewRepository = ({ path, name }: { readonly path: string; readonly name: string }) => {
  const to = `${path}/repos`
  return (
    <Section title={texts.newRepository} id="new_repository" lead={texts.newRepositoryLead(name)}>
      <Disclosure title={texts.newRepository} to={to}>
        <Form to={to} class="stack">
          <Field name="repo_name" label={texts.repositoryName} required autocomplete="off" />
          <Field name="description" id="repo_description" label={texts.repositoryDescription} isProse />
          <Checkbox name="is_private" label={texts.isPrivate} />
          <Checkbox name="auto_init" label={texts.autoInit} />
          <SubmitRow kind="plain">{texts.createRepository}</SubmitRow>
        </Form>
      </Disclosure>
    </Section>
  )
}

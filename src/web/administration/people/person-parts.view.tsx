import { RowBox } from '../../ui/row-box.tsx'
import type { PublicKeyRow } from '../../../db/tables/accounts.ts'
import { RemoveButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Time } from '../../ui/time.tsx'
import { administrationTexts } from '../../languages/texts.ts'

const texts = administrationTexts.users

/** The SSH keys of an account. */
export const PersonKeys = ({ path, keys }: { readonly path: string; readonly keys: readonly PublicKeyRow[] }) => {
  const to = `${path}/keys`
  return (
    <section class="section" aria-labelledby="keys">
      <h2 id="keys">{texts.keys}</h2>
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
              <RemoveButton
                to={`${to}/delete`}
                hidden={{ id: key.id }}

                confirm={texts.confirmKey(key.title)}
                label={texts.removeKeyOf(key.title)}
              >
                {texts.removeKey}
              </RemoveButton>
            </li>
          )}
        </RowBox>
        <details class="disclosure" open={usePage().refused?.action === to}>
          <summary>{texts.addKey}</summary>
          <Form to={to} class="stack">
            <Field name="title" label={texts.keyTitle} hint={texts.keyTitleHint} autocomplete="off" />
            <TextArea name="key" label={texts.publicKey} rows={4} required isCode />
            <SubmitRow kind="plain">{texts.addKey}</SubmitRow>
          </Form>
        </details>
      </div>
    </section>
  )
}

/** The form of a repository that the account owns. */
export const PersonNewRepository = ({ path, name }: { readonly path: string; readonly name: string }) => {
  const to = `${path}/repos`
  return (
    <section class="section" aria-labelledby="new_repository">
      <h2 id="new_repository">{texts.newRepository}</h2>
      <p class="lead">{texts.newRepositoryLead(name)}</p>
      <details class="disclosure" open={usePage().refused?.action === to}>
        <summary>{texts.newRepository}</summary>
        <Form to={to} class="stack">
          <Field name="repo_name" label={texts.repositoryName} required autocomplete="off" />
          <Field name="description" id="repo_description" label={texts.repositoryDescription} isProse />
          <Checkbox name="is_private" label={texts.isPrivate} />
          <Checkbox name="auto_init" label={texts.autoInit} />
          <SubmitRow kind="plain">{texts.createRepository}</SubmitRow>
        </Form>
      </details>
    </section>
  )
}

import { DeleteButton, Submit, SubmitRow } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import type { loadValues, loadVariable } from './secrets.ts'
import { secretTexts as texts } from '../../languages/texts.ts'

type Values = Awaited<ReturnType<typeof loadValues>>

/**
 * The secrets and variables of an owner.
 * @param path address of the page below the site root; the forms are at `…/secrets` and `…/variables`
 */
export const ValueSections = ({ secrets, variables, path }: Values & { readonly path: string }) => (
  <>
    <Secrets secrets={secrets} path={`${path}/secrets`} />
    <Variables variables={variables} path={`${path}/variables`} />
  </>
)

/** A form that opens on demand, and is open when it was refused. */
const NewValue = ({
  to,
  id,
  title,
  hint,
  isSecret = false,
}: {
  readonly to: string
  readonly id: string
  readonly title: string
  readonly hint?: string
  readonly isSecret?: boolean
}) => (
  <Disclosure title={title} to={to}>
    <Form to={to} class="stack">
      <Field name="name" id={`${id}_name`} label={texts.secretName} hint={texts.nameHint} required autocomplete="off" />
      <TextArea
        name="data"
        id={`${id}_data`}
        label={texts.value}
        {...(hint === undefined ? {} : { hint })}
        required
        isCode
        isSecret={isSecret}
      />
      <SubmitRow kind="plain">{title}</SubmitRow>
    </Form>
  </Disclosure>
)

const Secrets = ({ secrets, path }: Pick<Values, 'secrets'> & { readonly path: string }) => (
  <Section title={texts.secrets} id="secrets" lead={texts.secretsLead}>
    <div class="stack">
      <RowBox rows={secrets} none={texts.noSecrets}>
        {(secret) => (
          <li class="row">
            <Icon name="lock" />
            <div class="row-main">
              <code>{secret.name}</code>
              <p class="row-facts">
                <span>
                  {texts.set}
                  <Time unix={secret.created_unix} />
                </span>
              </p>
            </div>
            <DeleteButton
              to={`${path}/delete`}
              hidden={{ name: secret.name }}

              confirm={texts.deleteSecretQuestion(secret.name)}
              label={texts.deleteSecret(secret.name)}
            >
              {texts.delete}
            </DeleteButton>
          </li>
        )}
      </RowBox>
      <NewValue to={path} id="secret" title={texts.addSecret} hint={texts.replaceHint} isSecret />
    </div>
  </Section>
)

const Variables = ({ variables, path }: Pick<Values, 'variables'> & { readonly path: string }) => (
  <Section title={texts.variables} id="variables" lead={texts.variablesLead}>
    <div class="stack">
      <RowBox rows={variables} none={texts.noVariables}>
        {({ name, data }) => (
          <li class="row">
            <div class="row-main">
              <code>{name}</code>
              {data === '' ? null : <p class="row-facts cut">{data.slice(0, 200)}</p>}
            </div>
            <div class="acts">
              <ButtonLink
                to={`${path}/${encodeURIComponent(name)}`}
                class="small"
                aria-label={texts.editVariable(name)}
              >
                {texts.edit}
              </ButtonLink>
              <DeleteButton
                to={`${path}/delete`}
                hidden={{ name }}

                confirm={texts.deleteVariableQuestion(name)}
                label={texts.deleteVariable(name)}
              >
                {texts.delete}
              </DeleteButton>
            </div>
          </li>
        )}
      </RowBox>
      <NewValue to={path} id="variable" title={texts.addVariable} />
    </div>
  </Section>
)

/**
 * The form of a variable.
 * @param path address below the site root; the form is below `…/variables`
 * @param back address of the page with the list
 */
export const EditVariable = ({
  name,
  data,
  path,
  back = path,
}: Awaited<ReturnType<typeof loadVariable>> & { readonly path: string; readonly back?: string }) => (
  <>
    <PageHead title={texts.editVariable(name)} />
    <Form isEdit to={`${path}/variables/${encodeURIComponent(name)}`} class="stack">
      <Field name="name" label={texts.secretName} value={name} hint={texts.nameHint} required />
      <TextArea name="data" label={texts.value} value={data} rows={8} required isCode />
      <div class="form-acts">
        <Submit>{texts.save}</Submit>
        <ButtonLink to={back} kind="quiet">
          {texts.cancel}
        </ButtonLink>
      </div>
    </Form>
  </>
)

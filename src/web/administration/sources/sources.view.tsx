import type { TestStep, SourceKind } from '../../../sources/source.rules.ts'
import type { presentSource } from '../../../sources/source.present.ts'
import { ActButton, Submit, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, Select, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { CopyField, Empty, Flash, Menu, PageHead, Tabs, Tag } from '../../ui/parts.tsx'
import { fieldsOf, fieldText, type SettingField } from './source-fields.ts'
import { administrationTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'
import { Section } from '../../ui/section.tsx'

type SignInSource = ReturnType<typeof presentSource>

const texts = administrationTexts.sources
const at = (id: number): string => `/admin/auths/${id}`
const kinds = ['openid', 'ldap'] as const satisfies readonly SourceKind[]

const ActiveTag = ({ isActive }: { readonly isActive: boolean }) =>
  isActive ? <Tag tone="good">{texts.active}</Tag> : <Tag>{texts.inactive}</Tag>

/** The sign-in sources. */
export const SourcesView = ({ sources }: { readonly sources: readonly SignInSource[] }) => (
  <>
    <PageHead title={administrationTexts.signInSources} lead={texts.lead}>
      <Menu label={texts.add} kind="primary" align="end">
        <ul>
          {kinds.map((kind) => (
            <li>
              <Link to={`/admin/auths/${kind}/new`}>{texts.kinds[kind]}</Link>
            </li>
          ))}
        </ul>
      </Menu>
    </PageHead>
    <RowBox
      rows={sources}
      links
      empty={
        <Empty icon="shield-lock" title={texts.none}>
          <p>{texts.noneLead}</p>
        </Empty>
      }
    >
      {(source) => (
        <li class="row">
          <Icon name={source.kind === 'ldap' ? 'server' : 'shield-lock'} class="row-icon" />
          <div class="row-main">
            <div class="line">
              <Link class="row-title" to={at(source.id)} data-row-link="">
                {source.name}
              </Link>
              <ActiveTag isActive={source.active} />
            </div>
            <p class="row-facts">
              <span>{texts.kinds[source.kind]}</span>
              <span class="cut">{source.openid?.discovery_url ?? source.ldap?.host}</span>
            </p>
          </div>
          <ButtonLink to={`${at(source.id)}/test`} class="small" aria-label={texts.testOf(source.name)}>
            {texts.test}
          </ButtonLink>
        </li>
      )}
    </RowBox>
  </>
)

type Settings = Readonly<Record<string, unknown>>

/** The form of a new sign-in source. */
export const NewSourceView = ({ kind, settings }: { readonly kind: SourceKind; readonly settings: Settings }) => (
  <>
    <PageHead title={texts.newOf(kind)} lead={texts.kindLeads[kind]} />
    <Tabs
      label={texts.kindLabel}
      tabs={kinds.map((each) => ({
        to: `/admin/auths/${each}/new`,
        label: texts.kinds[each],
        isCurrent: each === kind,
      }))}
    />
    <SourceForm to={`/admin/auths/${kind}/new`} kind={kind} settings={settings} />
  </>
)

/** The settings of a sign-in source. */
export const SourceView = ({ source }: { readonly source: SignInSource }) => (
  <>
    <PageHead
      title={
        <span class="line">
          {source.name}
          <ActiveTag isActive={source.active} />
        </span>
      }
      lead={texts.kinds[source.kind]}
    >
      <ButtonLink to="/admin/auths">{texts.all}</ButtonLink>
      <ButtonLink to={`${at(source.id)}/test`}>{texts.test}</ButtonLink>
    </PageHead>
    {source.callback_url === '' ? null : (
      <div class="stack tight">
        <p>{texts.callback}</p>
        <CopyField text={source.callback_url} label={texts.callbackLabel} />
      </div>
    )}
    <SourceForm to={at(source.id)} kind={source.kind} settings={source.openid ?? source.ldap ?? {}} source={source} />
    <Section title={texts.delete} id="delete" lead={texts.deleteHint}>
      <ActButton to={`${at(source.id)}/delete`} kind="danger" confirm={texts.confirmDelete(source.name)}>
        {texts.delete}
      </ActButton>
    </Section>
  </>
)

const SourceForm = ({
  to,
  kind,
  settings,
  source,
}: {
  readonly to: string
  readonly kind: SourceKind
  readonly settings: Settings
  readonly source?: SignInSource
}) => (
  <Form isEdit to={to} class="stack form-sections">
    <div class="field-grid">
      <Field name="name" label={texts.name} hint={texts.nameHint} value={source?.name} required autocomplete="off" />
      <div class="whole">
        <Checkbox name="active" label={texts.isActive} checked={source?.active ?? true} />
      </div>
    </div>
    {fieldsOf[kind].map(({ group, fields }) => (
      <fieldset class="form-section">
        <legend>{texts.groups[group].title}</legend>
        <p class="lead">{texts.groups[group].lead}</p>
        <div class="field-grid">
          {fields.map((field) => (
            <div class={field.isWhole ? 'whole' : undefined}>
              {field.kind === 'secret' ? (
                <SourceSecret label={texts.secrets[kind]} isStored={source?.has_secret ?? false} />
              ) : (
                <Setting field={field} value={settings[field.name]} />
              )}
            </div>
          ))}
        </div>
      </fieldset>
    ))}
    <SubmitRow>{source === undefined ? texts.create : texts.save}</SubmitRow>
  </Form>
)

const SourceSecret = ({ label, isStored }: { readonly label: string; readonly isStored: boolean }) => (
  <div class="stack tight">
    <Field
      name="secret"
      type="password"
      label={label}
      {...(isStored ? { hint: texts.secretKept } : {})}
      autocomplete="new-password"
      isTerse
    />
    {isStored ? <Checkbox name="forgets_secret" label={texts.forgetSecret} /> : null}
  </div>
)

const Setting = ({
  field: { name, kind, isRequired = false },
  value,
}: {
  readonly field: SettingField
  readonly value: unknown
}) => {
  const [label, hint] = texts.fields[name] ?? [name]
  const shared = { name, label, ...(hint === undefined ? {} : { hint }) }
  switch (kind) {
    case 'flag':
      return <Checkbox {...shared} checked={value === true} />
    case 'map':
      return <TextArea {...shared} value={fieldText(value)} rows={5} isCode />
    case 'security':
      return (
        <Select
          {...shared}
          value={fieldText(value)}
          choices={Object.entries(texts.securities).map(([each, text]) => ({ value: each, label: text }))}
        />
      )
    case 'number':
      return <Field {...shared} type="number" value={fieldText(value)} isTerse />
    case 'text':
    case 'words':
    case 'address':
    case 'secret':
      return (
        <Field
          {...shared}
          type={kind === 'address' ? 'url' : 'text'}
          value={fieldText(value)}
          required={isRequired}
          isTerse
        />
      )
  }
}

/** What a source answered. */
export const SourceTestView = ({
  id,
  name,
  kind,
  login,
  steps,
}: {
  readonly id: number
  readonly name: string
  readonly kind: SourceKind
  readonly login: string
  readonly steps: readonly TestStep[]
}) => (
  <>
    <PageHead title={texts.testOf(name)} lead={texts.testLead}>
      <ButtonLink to={at(id)}>{texts.back}</ButtonLink>
      {kind === 'ldap' ? null : <ButtonLink to={`${at(id)}/test`}>{texts.testAgain}</ButtonLink>}
    </PageHead>
    {kind === 'ldap' ? (
      <Form to={`${at(id)}/test`} method="get" class="filters" label={texts.login}>
        <Field name="login" label={texts.login} isLabelHidden isTerse placeholder={texts.login} value={login} />
        <Submit kind="plain">{texts.test}</Submit>
      </Form>
    ) : null}
    {steps.every(({ ok }) => ok) ? (
      <Flash tone="done">{texts.testPassed}</Flash>
    ) : (
      <Flash tone="problem">{texts.testFailed}</Flash>
    )}
    <RowBox rows={steps}>
      {(step) => (
        <li class="row">
          <Icon
            name={step.ok ? 'check-circle' : 'x-circle'}
            class={step.ok ? 'good-text' : 'danger-text'}
            label={step.ok ? texts.worked : texts.failed}
          />
          <div class="row-main">
            <strong class="step-name">{step.what}</strong>
            <p class="row-facts">{step.found}</p>
          </div>
        </li>
      )}
    </RowBox>
  </>
)

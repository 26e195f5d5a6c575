import type { PublicKeyRow, UserRow } from '../../../db/tables/accounts.ts'
import type { Page } from '../../../lib/paging.ts'
import { visibilities, visibilityOf } from '../../../users/visibility.rules.ts'
import { ActButton, SubmitRow } from '../../ui/button.tsx'
import { Checkbox, Field, Select } from '../../ui/field.tsx'
import { area, box, formOf, line, number, readBy, select } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { PageHead, Pages, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import { PersonKeys, PersonNewRepository } from './person-parts.view.tsx'
import { accountQuotaPath } from '../quota/quota-paths.ts'
import { SearchForm } from '../search-form.tsx'
import { administrationTexts } from '../../languages/texts.ts'

const texts = administrationTexts.users

/** What is unusual about an account. */
const Marks = ({ person }: { readonly person: UserRow }) => (
  <>
    {person.is_admin ? <Tag tone="accent">{texts.admin}</Tag> : null}
    {person.is_restricted ? <Tag>{texts.restricted}</Tag> : null}
    {person.is_active ? null : <Tag tone="warning">{texts.inactive}</Tag>}
    {person.prohibit_login ? <Tag tone="danger">{texts.blocked}</Tag> : null}
    {person.login_source_id === 0 ? null : <Tag>{texts.external}</Tag>}
  </>
)

/** The people of the instance. */
export const PeopleView = ({
  users,
  total,
  shown,
  text,
}: {
  readonly users: readonly UserRow[]
  readonly total: number
  readonly shown: Page
  readonly text: string
}) => (
  <>
    <PageHead title={administrationTexts.people} lead={texts.total(total)}>
      <ButtonLink to="/admin/users/new" kind="primary" icon="plus">
        {texts.new}
      </ButtonLink>
    </PageHead>
    <SearchForm to="/admin/users" label={texts.search} text={text} placeholder={texts.hint} />
    <RowBox rows={users} links empty={<p class="box-body muted">{texts.none}</p>}>
      {(person) => (
        <li class="row">
          <Avatar person={person} size={32} />
          <div class="row-main">
            <div class="line">
              <Link to={pathOf('admin', 'users', person.name)} class="row-title">
                {person.name}
              </Link>
              {person.full_name === '' ? null : <span class="muted">{person.full_name}</span>}
              <Marks person={person} />
            </div>
            <p class="row-facts">{person.email}</p>
          </div>
          <div class="row-side wide-only">
            <span>
              {texts.created} <Time unix={person.created_unix} />
            </span>
          </div>
        </li>
      )}
    </RowBox>
    <Pages page={shown.number} total={total} pageSize={shown.limit} />
  </>
)

const visibility = readBy(
  visibilityOf,
  select(() => ({
    label: texts.visibility,
    value: 'public',
    choices: visibilities.map((value) => ({ value, label: texts.visibilities[value] })),
  })),
)

/** What an administrator says of a new account. */
export const newAccountForm = formOf({
  user_name: line(() => ({ label: texts.name, required: true, autofocus: true, autocomplete: 'off' }), {
    as: 'name',
    refusals: ['name_'],
  }),
  full_name: line(() => ({ label: texts.fullName, isProse: true }), { as: 'fullName' }),
  email: line(() => ({ label: texts.email, type: 'email', required: true, autocomplete: 'off' }), {
    refusals: ['email_'],
  }),
  visibility,
  must_change_password: box(() => ({ label: texts.mustChange, checked: true }), { as: 'mustChangePassword' }),
  send_notify: box(() => ({ label: texts.notify }), { as: 'welcomesByMail' }),
})

/** The form of a new account. */
export const NewAccountView = () => {
  const fields = newAccountForm.show()
  return (
    <>
      <PageHead title={texts.new} />
      <Form to="/admin/users/new" class="stack">
        {fields.user_name}
        {fields.full_name}
        {fields.email}
        <Field
          name="password"
          type="password"
          label={texts.password}
          hint={texts.passwordHint}
          required
          autocomplete="new-password"
        />
        {fields.visibility}
        {fields.must_change_password}
        {fields.send_notify}
        <SubmitRow>{texts.create}</SubmitRow>
      </Form>
    </>
  )
}

/** Columns of an account that administrators change. */
export const personForm = formOf({
  full_name: line(() => ({ label: texts.fullName, isProse: true })),
  pronouns: line(() => ({ label: texts.pronouns })),
  website: line(() => ({ label: texts.website, type: 'url' }), { refusals: ['website_'] }),
  location: line(() => ({ label: texts.location, isProse: true })),
  description: area(() => ({ label: texts.description, rows: 3 })),
  visibility,
  is_active: box(() => ({ label: texts.isActive, hint: texts.isActiveHint })),
  prohibit_login: box(() => ({ label: texts.prohibitLogin, hint: texts.prohibitLoginHint })),
  must_change_password: box(() => ({ label: texts.mustChange })),
  is_admin: box(() => ({ label: texts.isAdmin, hint: texts.isAdminHint })),
  is_restricted: box(() => ({ label: texts.isRestricted })),
  allow_create_organization: box(() => ({ label: texts.mayCreateOrganizations })),
  allow_import_local: box(() => ({ label: texts.mayImportLocal })),
  allow_git_hook: box(() => ({ label: texts.mayGitHooks, hint: texts.mayGitHooksHint })),
  max_repo_creation: number(() => ({ label: texts.limit, hint: texts.limitHint, min: -1, isTerse: true })),
})

/** Every switch of an account. */
export const PersonView = ({
  person,
  isSelf,
  sources,
  keys,
}: {
  readonly person: UserRow
  readonly isSelf: boolean
  readonly sources: readonly { readonly id: number; readonly name: string }[]
  readonly keys: readonly PublicKeyRow[]
}) => {
  const path = pathOf('admin', 'users', person.name)
  const fields = personForm.show(person)
  return (
    <>
      <PageHead
        title={
          <span class="line">
            <Avatar person={person} size={32} />
            {person.name}
            <Marks person={person} />
          </span>
        }
      >
        <ButtonLink to={pathOf(person.name)}>{texts.profile}</ButtonLink>
        {usePage().config.quota.enabled ? (
          <ButtonLink to={accountQuotaPath(person.name)}>{administrationTexts.quota}</ButtonLink>
        ) : null}
        <ActButton to={`${path}/sessions/end`}>{texts.endSessions}</ActButton>
      </PageHead>
      <Form isEdit to={path} class="stack form-sections">
        <fieldset class="form-section">
          <legend>{texts.profile}</legend>
          <div class="field-grid">
            {fields.full_name}
            {fields.pronouns}
            {fields.website}
            {fields.location}
            <div class="whole">{fields.description}</div>
            {fields.visibility}
          </div>
        </fieldset>
        <fieldset class="form-section">
          <legend>{texts.signIn}</legend>
          <div class="field-grid">
            <Field name="email" type="email" label={texts.email} value={person.email} required />
            <Field
              name="password"
              type="password"
              label={texts.newPassword}
              hint={texts.newPasswordHint}
              autocomplete="new-password"
            />
            {sources.length === 0 ? null : (
              <>
                <Select
                  name="source_id"
                  label={texts.source}
                  value={String(person.login_source_id)}
                  choices={[
                    { value: '0', label: texts.thisInstance },
                    ...sources.map(({ id, name }) => ({ value: String(id), label: name })),
                  ]}
                />
                <Field name="login_name" label={texts.loginName} value={person.login_name} isTerse autocomplete="off" />
              </>
            )}
            {fields.is_active}
            {fields.prohibit_login}
            <div class="whole">{fields.must_change_password}</div>
          </div>
        </fieldset>
        <fieldset class="form-section">
          <legend>{texts.rights}</legend>
          <div class="field-grid">
            {fields.is_admin}
            {fields.is_restricted}
            {fields.allow_create_organization}
            {fields.allow_import_local}
            <div class="whole">{fields.allow_git_hook}</div>
            {fields.max_repo_creation}
          </div>
        </fieldset>
        <SubmitRow>{texts.save}</SubmitRow>
      </Form>
      <PersonKeys path={path} keys={keys} />
      <PersonNewRepository path={path} name={person.name} />
      <Section title={texts.rename} id="rename">
        <Form to={`${path}/rename`} class="stack">
          <Field name="new_name" label={texts.newName} hint={texts.renameHint} required autocomplete="off" />
          <SubmitRow kind="plain">{texts.rename}</SubmitRow>
        </Form>
      </Section>
      {isSelf ? null : (
        <Section title={texts.delete} id="delete" lead={texts.deleteHint}>
          <Form to={`${path}/delete`} class="stack" confirm={texts.confirmDelete(person.name)}>
            <Checkbox name="purge" label={texts.purge} />
            <SubmitRow kind="danger">{texts.delete}</SubmitRow>
          </Form>
        </Section>
      )}
    </>
  )
}

import type { PublicKeyRow, UserRow } from '../../../db/tables/accounts.ts'
import type { Page } from '../../../lib/paging.ts'
import { visibilities } from '../../../users/visibility.rules.ts'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Checkbox, Field, Select, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Box, PageHead, Pages, Tag } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { Time } from '../../ui/time.tsx'
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
    <Box>
      {users.length === 0 ? <p class="box-body muted">{texts.none}</p> : null}
      <ul class="rows hoverable" data-rows>
        {users.map((person) => (
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
              {texts.created} <Time unix={person.created_unix} />
            </div>
          </li>
        ))}
      </ul>
    </Box>
    <Pages page={shown.number} isLast={shown.offset + users.length >= total} total={total} pageSize={shown.limit} />
  </>
)

const visibilityChoices = () => visibilities.map((value) => ({ value, label: texts.visibilities[value] }))

/** The form of a new account. */
export const NewAccountView = () => (
  <>
    <PageHead title={texts.new} />
    <Form to="/admin/users/new" class="stack">
      <Field name="user_name" label={texts.name} required autofocus autocomplete="off" />
      <Field name="full_name" label={texts.fullName} isProse />
      <Field name="email" type="email" label={texts.email} required autocomplete="off" />
      <Field
        name="password"
        type="password"
        label={texts.password}
        hint={texts.passwordHint}
        required
        autocomplete="new-password"
      />
      <Select name="visibility" label={texts.visibility} value="public" choices={visibilityChoices()} />
      <Checkbox name="must_change_password" label={texts.mustChange} checked />
      <Checkbox name="send_notify" label={texts.notify} />
      <div class="form-acts">
        <Submit>{texts.create}</Submit>
      </div>
    </Form>
  </>
)

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
            <Field name="full_name" label={texts.fullName} value={person.full_name} isProse />
            <Field name="pronouns" label={texts.pronouns} value={person.pronouns} />
            <Field name="website" type="url" label={texts.website} value={person.website} />
            <Field name="location" label={texts.location} value={person.location} isProse />
            <div class="whole">
              <TextArea name="description" label={texts.description} value={person.description} rows={3} />
            </div>
            <Select
              name="visibility"
              label={texts.visibility}
              value={person.visibility}
              choices={visibilityChoices()}
            />
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
            <Checkbox name="is_active" label={texts.isActive} hint={texts.isActiveHint} checked={person.is_active} />
            <Checkbox
              name="prohibit_login"
              label={texts.prohibitLogin}
              hint={texts.prohibitLoginHint}
              checked={person.prohibit_login}
            />
            <div class="whole">
              <Checkbox name="must_change_password" label={texts.mustChange} checked={person.must_change_password} />
            </div>
          </div>
        </fieldset>
        <fieldset class="form-section">
          <legend>{texts.rights}</legend>
          <div class="field-grid">
            <Checkbox name="is_admin" label={texts.isAdmin} hint={texts.isAdminHint} checked={person.is_admin} />
            <Checkbox name="is_restricted" label={texts.isRestricted} checked={person.is_restricted} />
            <Checkbox
              name="allow_create_organization"
              label={texts.mayCreateOrganizations}
              checked={person.allow_create_organization}
            />
            <Checkbox name="allow_import_local" label={texts.mayImportLocal} checked={person.allow_import_local} />
            <div class="whole">
              <Checkbox
                name="allow_git_hook"
                label={texts.mayGitHooks}
                hint={texts.mayGitHooksHint}
                checked={person.allow_git_hook}
              />
            </div>
            <Field
              name="max_repo_creation"
              type="number"
              label={texts.limit}
              hint={texts.limitHint}
              value={person.max_repo_creation}
              min={-1}
              isTerse
            />
          </div>
        </fieldset>
        <div class="form-acts">
          <Submit>{texts.save}</Submit>
        </div>
      </Form>
      <PersonKeys path={path} keys={keys} />
      <PersonNewRepository path={path} name={person.name} />
      <section class="section">
        <h2>{texts.rename}</h2>
        <Form to={`${path}/rename`} class="stack">
          <Field name="new_name" label={texts.newName} hint={texts.renameHint} required autocomplete="off" />
          <div class="form-acts">
            <Submit kind="plain">{texts.rename}</Submit>
          </div>
        </Form>
      </section>
      {isSelf ? null : (
        <section class="section">
          <h2>{texts.delete}</h2>
          <p class="lead">{texts.deleteHint}</p>
          <Form to={`${path}/delete`} class="stack" confirm={texts.confirmDelete(person.name)}>
            <Checkbox name="purge" label={texts.purge} />
            <div class="form-acts">
              <Submit kind="danger">{texts.delete}</Submit>
            </div>
          </Form>
        </section>
      )}
    </>
  )
}

import type { ComponentChildren } from 'preact'
import type { ActView } from '../../activity/act-view.present.ts'
import type { TeamRow, UserRow } from '../../db/tables/accounts.ts'
import { repoUnits } from '../../db/tables/repositories.ts'
import type { OwnedRepo } from '../../repos/lists/browse.service.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { ActList } from '../lists/act-list.tsx'
import { PersonRow } from '../lists/person-row.tsx'
import { RepositoryTags } from '../lists/repository-row.tsx'
import { ActButton, RemoveButton, Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Empty, PageHead, Pages, Tabs } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { pathOf } from '../ui/paths.ts'
import { PersonField } from '../ui/person-field.tsx'
import { unitLevels } from './team-form.ts'
import { RepositoryPicture } from '../ui/repository-picture.tsx'
import { InvitationSection, invitationHint, type Invitations } from '../shared/invitations/invitations.view.tsx'
import { invitationTexts, organizationTexts as commonTexts, teamTexts as texts } from '../languages/texts.ts'

/** What all pages of a team show. */
export interface TeamHead {
  readonly org: UserRow
  readonly team: TeamRow
  /** The viewer owns the organization. */
  readonly isOwner: boolean
  /** Levels of the parts of a repository by keys such as `repo.code`. */
  readonly levels: Readonly<Record<string, string>>
  /** The viewer is on the team. */
  readonly isOn: boolean
  readonly counts: { readonly members: number; readonly repos: number }
}

const pathTo = ({ org, team }: TeamHead, ...parts: readonly string[]): string =>
  orgPath(org, 'teams', team.lower_name, ...parts)

interface Shell {
  readonly head: TeamHead
  readonly current: 'members' | 'repositories' | 'activity'
  readonly children: ComponentChildren
}

const TeamShell = ({ head, current, children }: Shell) => {
  const { team, isOwner, isOn, counts } = head
  return (
    <>
      <PageHead title={team.name} lead={team.description === '' ? undefined : team.description}>
        {isOn ? (
          <ActButton to={pathTo(head, 'leave')} kind="quiet" confirm={texts.confirmLeave(team.name)}>
            {texts.leave}
          </ActButton>
        ) : null}
        {isOwner ? (
          <ButtonLink to={pathTo(head, 'edit')} icon="gear">
            {texts.settings}
          </ButtonLink>
        ) : null}
      </PageHead>
      <div class="columns">
        <div class="stack">
          <Tabs
            label={texts.tabs}
            tabs={[
              {
                label: texts.members,
                to: pathTo(head),
                icon: 'people',
                count: counts.members,
                isCurrent: current === 'members',
              },
              {
                label: texts.repositories,
                to: pathTo(head, 'repositories'),
                icon: 'repo',
                count: counts.repos,
                isCurrent: current === 'repositories',
              },
              {
                label: texts.activity,
                to: pathTo(head, 'activity'),
                icon: 'pulse',
                isCurrent: current === 'activity',
              },
            ]}
          />
          {children}
        </div>
        <Access {...head} />
      </div>
    </>
  )
}

/** What the team may do. */
const Access = ({ team, levels }: TeamHead) => (
  <aside class="stack">
    <section>
      <h2>{texts.access}</h2>
      <p class="muted">{texts.accessOf[team.access_mode]}</p>
      {team.access_mode >= 3 ? null : (
        <ul class="access-list">
          {repoUnits.map((unit) => {
            const level = unitLevels.find((each) => each === levels[`repo.${unit}`]) ?? 'none'
            return level === 'none' ? null : (
              <li>
                {texts.units[unit]}
                <span class="muted">{texts.levels[level]}</span>
              </li>
            )
          })}
        </ul>
      )}
    </section>
    <p class="muted">{team.includes_all_repositories ? texts.hasAll : texts.hasSome}</p>
    {team.can_create_org_repo ? <p class="muted">{texts.createsRepos}</p> : null}
  </aside>
)

export const TeamMembersView = ({
  head,
  members,
  invitations,
  newLink,
  total,
  page,
  pageSize,
}: {
  readonly head: TeamHead
  readonly total: number
  readonly members: readonly UserRow[]
  /** For owners of the organization. */
  readonly invitations: Invitations | undefined
  /** The link of a new invitation, which is shown once. */
  readonly newLink: string | undefined
  readonly page: number
  readonly pageSize: number
}) => {
  const to = pathTo(head, 'members', 'add')
  return (
    <TeamShell head={head} current="members">
      <RowBox
        {...(head.isOwner
          ? {
              head: (
                <Form to={to} class="add-line" label={texts.addMember}>
                  <PersonField
                    name="username"
                    id="new_member"
                    label={invitationTexts.nameOrAddress}
                    placeholder={invitationTexts.nameOrAddress}
                    hint={invitations && invitationHint(invitations)}
                    isLabelHidden
                    required
                  />
                  <Submit icon="plus">{texts.addMember}</Submit>
                </Form>
              ),
            }
          : {})}
        rows={members}
        links
        empty={
          <Empty icon="people" title={texts.noMembers}>
            <p>{texts.noMembersHint}</p>
          </Empty>
        }
      >
        {(person) => (
          <PersonRow person={person} hasJoined={false}>
            {head.isOwner ? (
              <RemoveButton
                to={pathTo(head, 'members', person.name, 'remove')}

                confirm={texts.confirmRemove(person.name, head.team.name)}
                label={texts.removeOf(person.name)}
              >
                {commonTexts.remove}
              </RemoveButton>
            ) : undefined}
          </PersonRow>
        )}
      </RowBox>
      <Pages page={page} total={total} pageSize={pageSize} />
      {invitations === undefined ? null : (
        <InvitationSection
          invitations={invitations}
          newLink={newLink}
          revokeTo={pathTo(head, 'invitations', 'revoke')}
          linkTo={pathTo(head, 'invitations')}
        />
      )}
    </TeamShell>
  )
}

export const TeamReposView = ({
  head,
  repos,
  offered,
  total,
  page,
  pageSize,
}: {
  readonly head: TeamHead
  readonly repos: readonly (OwnedRepo & { readonly mayRemove: boolean })[]
  /** Names of repositories that the viewer may give to the team. */
  readonly offered: readonly string[]
  readonly total: number
  readonly page: number
  readonly pageSize: number
}) => {
  const to = pathTo(head, 'repositories', 'add')
  return (
    <TeamShell head={head} current="repositories">
      <RowBox
        {...(offered.length === 0
          ? {}
          : {
              head: (
                <>
                  <Form to={to} class="add-line" label={texts.addRepo}>
                    <Field
                      name="repository"
                      label={texts.repository}
                      placeholder={texts.repository}
                      isLabelHidden
                      required
                      autocomplete="off"
                      list="offered_repositories"
                    />
                    <datalist id="offered_repositories">
                      {offered.map((name) => (
                        <option value={name} />
                      ))}
                    </datalist>
                    <Submit icon="plus">{texts.addRepo}</Submit>
                    {head.isOwner ? (
                      <Submit kind="plain" form="add_all_repositories">
                        {texts.addAll}
                      </Submit>
                    ) : null}
                  </Form>
                </>
              ),
            })}
        rows={repos}
        links
        empty={
          <Empty icon="repo" title={texts.noRepos}>
            <p>{texts.noReposHint}</p>
          </Empty>
        }
      >
        {({ repo, owner, mayRemove }) => (
          <li class="row">
            <RepositoryPicture repo={repo} size={16} class="row-icon" />
            <div class="row-main">
              <div class="line">
                <Link class="row-title" to={pathOf(owner.name, repo.name)} data-row-link="">
                  {repo.name}
                </Link>
                <RepositoryTags repo={repo} owner={owner} />
              </div>
              {repo.description === '' ? null : <p class="row-text">{repo.description}</p>}
            </div>
            {mayRemove ? (
              <RemoveButton
                to={pathTo(head, 'repositories', 'remove')}
                hidden={{ repository: repo.name }}

                confirm={texts.confirmRepo(repo.name, head.team.name)}
                label={texts.removeOf(repo.name)}
              >
                {commonTexts.remove}
              </RemoveButton>
            ) : null}
          </li>
        )}
      </RowBox>
      <Pages page={page} total={total} pageSize={pageSize} />
      {offered.length > 0 && head.isOwner ? (
        <Form
          to={pathTo(head, 'repositories', 'add_all')}
          id="add_all_repositories"
          confirm={texts.confirmAll(head.team.name)}
        >
          {null}
        </Form>
      ) : null}
    </TeamShell>
  )
}

export const TeamActivityView = ({
  head,
  acts,
  page,
  isLast,
}: {
  readonly head: TeamHead
  readonly acts: readonly ActView[]
  readonly page: number
  readonly isLast: boolean
}) => (
  <TeamShell head={head} current="activity">
    <ActList acts={acts} />
    <Pages page={page} isLast={isLast} />
  </TeamShell>
)

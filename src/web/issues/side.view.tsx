import { usualQuery, writeIssueQuery } from '../../issues/search/query.parse.ts'
import type { ComponentChildren } from 'preact'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Checkbox, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { ColorDot, LabelTag } from '../ui/label.tsx'
import { Link } from '../ui/link.tsx'
import { Person, PersonName } from '../ui/person.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Day, durationText } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { formatUnix } from '../../lib/time.ts'
import { issueAt } from './issue-props.ts'
import { Relations } from './relations.view.tsx'
import { factsOf, type SideProps } from './side-facts.view.tsx'
import { ChangeMenu, ChoiceMenu, Part } from './side-parts.view.tsx'
import { issueTexts } from '../languages/texts.ts'

const texts = issueTexts.issue

/**
 * What belongs to an issue or pull request beside its texts: labels, people, dates, dependencies, time, and acts. On a narrow
 * window this is a line with what is set, which opens the rest.
 * @param first parts before the others
 * @param firstFacts facts of that line before the others
 * @param acts buttons before the others
 */
export const IssueSide = ({
  first,
  firstFacts = null,
  acts,
  ...props
}: SideProps & {
  readonly first?: ComponentChildren
  readonly firstFacts?: ComponentChildren
  readonly acts?: ComponentChildren
}) => {
  const { side } = props
  const facts = factsOf(props)
  const isBare = firstFacts === null && facts.length === 0
  // Guests who would find nothing get no line.
  const isUseful = !isBare || side.choices !== undefined || side.isSubscribed !== undefined
  return (
    <aside class={`issue-side${isUseful ? '' : ' is-bare'}`} aria-label={texts.side}>
      <details class="side-details">
        <summary>
          <span class="side-facts">
            {isBare ? <span class="muted">{texts.noFacts}</span> : null}
            {firstFacts}
            {facts}
          </span>
          <span class="side-more">
            {texts.side}
            <Icon name="chevron-down" />
          </span>
        </summary>
        <div class="side-parts">
          {first}
          <Assignees {...props} />
          <Labels {...props} />
          <Milestone {...props} />
          <DueDate {...props} />
          {side.hasDependencies ? <Dependencies {...props} /> : null}
          <Relations {...props} />
          {side.time === undefined ? null : <TrackedTime {...props} time={side.time} />}
          {side.isSubscribed === undefined ? null : <Subscription {...props} isOn={side.isSubscribed} />}
          <Acts {...props}>{acts ?? null}</Acts>
        </div>
      </details>
    </aside>
  )
}

const Assignees = ({ repository, issue, around, side }: SideProps) => {
  const { viewer } = usePage()
  const at = issueAt(repository, issue)
  const assigned = (around.assignees.get(issue.id) ?? []).flatMap((id) => around.users.get(id) ?? [])
  const isAssigned = new Set(assigned.map(({ id }) => id))
  const others = (side.choices?.people ?? []).filter(({ id }) => !isAssigned.has(id))
  const people: readonly UserRow[] = [...assigned, ...others]
  return (
    <Part
      title={texts.assignees}
      isEmpty={assigned.length === 0}
      change={
        side.choices ? (
          <ChoiceMenu to={at('assignees')} title={texts.assignees} id="assignees" count={people.length}>
            {people.map((person) => (
              <Checkbox
                name="assignee"
                id={`assignee_${person.id}`}
                value={person.name}
                label={<PersonName person={person} />}
                checked={isAssigned.has(person.id)}
              />
            ))}
          </ChoiceMenu>
        ) : null
      }
    >
      {assigned.length === 0 ? (
        <div class="muted line">
          {texts.nobody}
          {viewer && others.some(({ id }) => id === viewer.id) ? (
            <Form to={at('assignees')} class="inline" hidden={{ assignee: viewer.user.name }}>
              <button type="submit" class="link">
                {texts.takeIt}
              </button>
            </Form>
          ) : null}
        </div>
      ) : (
        <ul class="side-list">
          {assigned.map((person) => (
            <li>
              <Person person={person} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

const Labels = ({ repository, issue, around, side }: SideProps) => {
  const at = issueAt(repository, issue)
  const labels = around.labels.get(issue.id) ?? []
  const isSet = new Set(labels.map(({ id }) => id))
  const choices = side.choices?.labels ?? []
  const known = new Set(choices.map(({ id }) => id))
  const offered = [...labels.filter(({ id }) => !known.has(id)), ...choices]
  return (
    <Part
      title={texts.labels}
      isEmpty={labels.length === 0}
      change={
        side.choices ? (
          <ChoiceMenu to={at('labels')} title={texts.labels} id="labels" count={offered.length}>
            {offered.map((label) => (
              <Checkbox
                name="label"
                id={`label_${label.id}`}
                value={String(label.id)}
                checked={isSet.has(label.id)}
                label={
                  <>
                    <ColorDot color={label.color} /> {label.name}
                  </>
                }
              />
            ))}
          </ChoiceMenu>
        ) : null
      }
    >
      {labels.length === 0 ? (
        <p class="muted">{texts.noLabels}</p>
      ) : (
        <p class="side-labels">
          {labels.map((label) => (
            <LabelTag
              label={label}
              to={withQuery(pathOf(repository.owner.name, repository.repo.name, issue.is_pull ? 'pulls' : 'issues'), {
                q: writeIssueQuery({ ...usualQuery, labels: [label.name] }),
              })}
            />
          ))}
        </p>
      )}
    </Part>
  )
}

const Milestone = ({ repository, issue, around, side }: SideProps) => {
  const at = issueAt(repository, issue)
  const milestone = issue.milestone_id === null ? undefined : around.milestones.get(issue.milestone_id)
  const choices = side.choices?.milestones ?? []
  const offered = milestone && !choices.some(({ id }) => id === milestone.id) ? [milestone, ...choices] : choices
  return (
    <Part
      title={texts.milestone}
      isEmpty={milestone === undefined}
      change={
        side.choices ? (
          <ChangeMenu title={texts.milestone}>
            <Form to={at('milestone')} label={texts.change(texts.milestone)}>
              <ul id="milestones_items">
                {[{ id: 0, title: texts.noMilestone }, ...offered].map(({ id, title }) => (
                  <li>
                    <button
                      type="submit"
                      name="milestone"
                      value={String(id)}
                      aria-pressed={id === (milestone?.id ?? 0) ? 'true' : 'false'}
                    >
                      {title}
                    </button>
                  </li>
                ))}
              </ul>
            </Form>
          </ChangeMenu>
        ) : null
      }
    >
      {milestone ? (
        <p>
          <Link to={pathOf(repository.owner.name, repository.repo.name, 'milestone', milestone.id)}>
            {milestone.title}
          </Link>
        </p>
      ) : (
        <p class="muted">{texts.noMilestone}</p>
      )}
    </Part>
  )
}

const DueDate = ({ repository, issue, side }: SideProps) => {
  const { nowUnix } = usePage()
  const at = issueAt(repository, issue)
  const isOverdue = !issue.is_closed && issue.due_unix < nowUnix
  return (
    <Part
      title={texts.due}
      isEmpty={issue.due_unix === 0}
      change={
        side.choices ? (
          <ChangeMenu title={texts.due}>
            <Form isEdit to={at('deadline')} class="choice-menu stack">
              <Field
                name="due"
                id="due"
                type="date"
                label={texts.due}
                isLabelHidden
                isTerse
                value={issue.due_unix > 0 ? formatUnix(issue.due_unix).slice(0, 10) : undefined}
              />
              <div class="form-acts">
                <Submit kind="plain" class="small">
                  {texts.setDue}
                </Submit>
                {issue.due_unix > 0 ? (
                  <Submit kind="quiet" class="small" name="remove" value="true">
                    {texts.removeDue}
                  </Submit>
                ) : null}
              </div>
            </Form>
          </ChangeMenu>
        ) : null
      }
    >
      {issue.due_unix > 0 ? (
        <p class={isOverdue ? 'danger-text' : undefined}>
          <Day unix={issue.due_unix} />
          {isOverdue ? texts.isOverdue : null}
        </p>
      ) : (
        <p class="muted">{texts.noDue}</p>
      )}
    </Part>
  )
}

const Dependencies = ({ repository, issue, side }: SideProps) => {
  const at = issueAt(repository, issue)
  const list = (rows: readonly IssueRow[], isRemovable: boolean) => (
    <ul class="side-list">
      {rows.map((row) => (
        <li>
          <IssueIcon issue={row} />
          {row.repo_id === repository.repo.id ? (
            <Link to={pathOf(repository.owner.name, repository.repo.name, row.is_pull ? 'pulls' : 'issues', row.index)}>
              <TitleText text={row.title} />
            </Link>
          ) : (
            <span>
              <TitleText text={row.title} />
            </span>
          )}
          <span class="spacer" />
          {isRemovable && row.repo_id === repository.repo.id ? (
            <ActButton
              to={at('dependencies')}
              hidden={{ other: row.index, remove: true }}
              kind="quiet"
              class="icon-only small"
              icon="x"
              aria-label={texts.removeDependency(row.title)}
              title={texts.removeDependency(row.title)}
            />
          ) : null}
        </li>
      ))}
    </ul>
  )
  return (
    <Part
      title={texts.dependencies}
      isEmpty={side.dependencies.length + side.blocked.length === 0}
      change={
        side.choices ? (
          <ChangeMenu title={texts.dependencies}>
            <Form to={at('dependencies')} class="choice-menu stack">
              <Field
                name="other"
                id="dependency"
                label={texts.addDependency}
                inputmode="numeric"
                placeholder="#12"
                required
              />
              <Submit kind="plain" class="small">
                {texts.add}
              </Submit>
            </Form>
          </ChangeMenu>
        ) : null
      }
    >
      {side.dependencies.length === 0 ? (
        <p class="muted">{texts.noDependencies}</p>
      ) : (
        list(side.dependencies, side.choices !== undefined)
      )}
      {side.blocked.length === 0 ? null : (
        <>
          <h3>{texts.blocks}</h3>
          {list(side.blocked, false)}
        </>
      )}
    </Part>
  )
}

const TrackedTime = ({
  repository,
  issue,
  time,
}: SideProps & { readonly time: NonNullable<SideProps['side']['time']> }) => {
  const at = issueAt(repository, issue)
  return (
    <Part title={texts.time} isEmpty={time.seconds === 0 && !time.mayAdd}>
      <p class={time.seconds === 0 ? 'muted' : undefined}>
        {time.seconds === 0 ? texts.noTime : texts.total(durationText(time.seconds))}
      </p>
      {time.mayAdd ? (
        <>
          <Form to={at('stopwatch')} class="inline">
            <Submit
              kind="plain"
              class="small"
              icon={time.isRunning ? 'stop' : 'play'}
              name="act"
              value={time.isRunning ? 'stop' : 'start'}
            >
              {time.isRunning ? texts.stop : texts.start}
            </Submit>
            {time.isRunning ? (
              <Submit kind="quiet" class="small" name="act" value="discard">
                {texts.discard}
              </Submit>
            ) : null}
          </Form>
          <Form to={at('time')} class="time-form">
            <Field name="time" id="add_time" label={texts.addTime} placeholder="1h 30m" required isLabelHidden />
            <Submit kind="plain">{texts.add}</Submit>
          </Form>
        </>
      ) : null}
    </Part>
  )
}

const Subscription = ({ repository, issue, isOn }: SideProps & { readonly isOn: boolean }) => (
  <Part title={texts.subscription}>
    <ActButton
      to={issueAt(repository, issue)('subscription')}
      hidden={{ on: !isOn }}
      class="small"
      icon={isOn ? 'bell-slash' : 'bell'}
    >
      {isOn ? texts.unsubscribe : texts.subscribe}
    </ActButton>
    <p class="hint">{isOn ? texts.subscribed : texts.notSubscribed}</p>
  </Part>
)

const Acts = ({ repository, issue, side, children }: SideProps & { readonly children: ComponentChildren }) => {
  const at = issueAt(repository, issue)
  if (!side.mayAdmin && !side.mayLock && children === null) return null
  return (
    <section class="side-part side-acts">
      {children}
      {side.mayAdmin ? (
        <ActButton
          to={at('pin')}
          hidden={{ on: issue.pin_order === 0 }}
          kind="quiet"
          icon={issue.pin_order === 0 ? 'pin' : 'pin-slash'}
        >
          {issue.pin_order === 0 ? texts.pin : texts.unpin}
        </ActButton>
      ) : null}
      {side.mayLock ? (
        <ActButton
          to={at('lock')}
          hidden={{ on: !issue.is_locked }}
          kind="quiet"
          icon={issue.is_locked ? 'unlock' : 'lock'}
        >
          {issue.is_locked ? texts.unlock : texts.lock}
        </ActButton>
      ) : null}
      {side.mayAdmin ? (
        <ActButton to={at('delete')} kind="danger" icon="trash" confirm={texts.deleteQuestion(issue.is_pull)}>
          {texts.delete(issue.is_pull)}
        </ActButton>
      ) : null}
    </section>
  )
}

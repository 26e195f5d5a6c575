import type { ComponentChildren, VNode } from 'preact'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { LabelTag } from '../ui/label.tsx'
import { usePage } from '../ui/page-context.ts'
import { Avatar, PersonName } from '../ui/person.tsx'
import { numberText } from '../languages/amounts.ts'
import { Day, durationText } from '../ui/time.tsx'
import type { ConversationProps } from './issue-props.ts'
import { issueTexts } from '../languages/texts.ts'

const texts = issueTexts.issue

export type SideProps = Pick<ConversationProps, 'repository' | 'issue' | 'around' | 'side'>

/** People and labels that the line shows; the others are counted. */
const factsAtMost = 4

/** One thing that is set, behind an icon that says what it is. */
export const Fact = ({
  icon,
  title,
  class: more = '',
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly class?: string
  readonly children: ComponentChildren
}) => (
  <span class={`side-fact ${more}`.trim()} title={title}>
    <Icon name={icon} label={`${title}:`} />
    {children}
  </span>
)

/** The first of some people or labels, and how many follow. */
export function fewOf<Each>(all: readonly Each[], show: (each: Each) => VNode): readonly VNode[] {
  const few = all.slice(0, factsAtMost).map(show)
  const rest = all.length - few.length
  return rest === 0 ? few : [...few, <span class="muted">+{numberText(rest)}</span>]
}

/** An account in a line of facts. */
export const FactPerson = ({
  person,
  children,
}: {
  readonly person: UserRow
  readonly children?: ComponentChildren
}) => (
  <span class="fact-person">
    <Avatar person={person} size={16} />
    <PersonName person={person} isBrief />
    {children}
  </span>
)

/** What is set for an issue or pull request, each as a few words: a narrow window shows it above the conversation. */
export function factsOf({ issue, around, side }: SideProps): readonly VNode[] {
  const { nowUnix } = usePage()
  const assigned = (around.assignees.get(issue.id) ?? []).flatMap((id) => around.users.get(id) ?? [])
  const labels = around.labels.get(issue.id) ?? []
  const milestone = issue.milestone_id === null ? undefined : around.milestones.get(issue.milestone_id)
  const isOverdue = !issue.is_closed && issue.due_unix < nowUnix
  const subIssues = side.relations.filter(({ word }) => word === 'sub_issue')
  const openBefore = side.dependencies.filter((row) => !row.is_closed).length
  return [
    ...(assigned.length === 0
      ? []
      : [
          <Fact icon="person" title={texts.assignees}>
            {fewOf(assigned, (person) => (
              <FactPerson person={person} />
            ))}
          </Fact>,
        ]),
    ...fewOf(labels, (label) => <LabelTag label={label} />),
    ...(milestone
      ? [
          <Fact icon="milestone" title={texts.milestone}>
            {milestone.title}
          </Fact>,
        ]
      : []),
    ...(issue.due_unix > 0
      ? [
          <Fact icon="calendar" title={texts.due} class={isOverdue ? 'danger-text' : ''}>
            <Day unix={issue.due_unix} />
            {isOverdue ? texts.isOverdue : null}
          </Fact>,
        ]
      : []),
    ...(openBefore > 0
      ? [
          <Fact icon="no-entry" title={texts.dependencies} class="danger-text">
            {texts.openBefore(openBefore)}
          </Fact>,
        ]
      : []),
    ...(subIssues.length > 0
      ? [
          <Fact icon="issue-opened" title={issueTexts.relations.heads.sub_issue}>
            {issueTexts.relations.progress(subIssues.filter(({ issue }) => issue.is_closed).length, subIssues.length)}
          </Fact>,
        ]
      : []),
    ...(side.time !== undefined && side.time.seconds > 0
      ? [
          <Fact icon="stopwatch" title={texts.time}>
            {durationText(side.time.seconds)}
          </Fact>,
        ]
      : []),
  ]
}

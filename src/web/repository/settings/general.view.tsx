import type { ComponentChildren, VNode } from 'preact'
import type { RepoUnitRow } from '../../../db/tables/repositories.ts'
import type { MirrorSettings } from '../../../repos/mirrors/mirror.service.ts'
import { mergeStyles, unitConfig } from '../../../repos/unit-config.ts'
import { sentenceOf } from '../../shell/sentence.ts'
import { ActButton, Submit, SubmitRow } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { box, boxes, choicesOf, formOf, line, oneOf, readBy, select } from '../../ui/form-fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Box, Flash } from '../../ui/parts.tsx'
import { RepositoryPicture } from '../../ui/repository-picture.tsx'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import { pictureTexts } from '../../languages/texts.ts'
import { PictureSection } from '../../shared/pictures/picture.view.tsx'
import { topicsIn } from '../../shared/topics.ts'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { repositorySettingsTexts as texts } from '../../languages/texts.ts'
import { inReadersWords } from '../../languages/refusals.ts'

interface GeneralProps {
  readonly repository: SettingsRepository
  readonly units: readonly RepoUnitRow[]
  readonly topics: readonly string[]
  readonly isOwner: boolean
  /** What the repository follows. */
  readonly mirror: MirrorSettings | undefined
}

/** The general settings of a repository. */
export const GeneralView = ({ repository, units, topics, isOwner, mirror }: GeneralProps) => (
  <SettingsFrame repository={repository} part="general">
    <div class="profile-settings">
      <Basics repository={repository} topics={topics} />
      <PictureSection
        to={settingsPath(repository, 'avatar')}
        hasOwn={repository.repo.avatar_key !== ''}
        removeQuestion={pictureTexts.removeWithoutOther}
      >
        {repository.repo.avatar_key === '' ? null : <RepositoryPicture repo={repository.repo} size={96} />}
      </PictureSection>
    </div>
    <Units repository={repository} units={units} />
    <Merging repository={repository} units={units} />
    {mirror === undefined ? null : <Mirror repository={repository} mirror={mirror} />}
    <Danger repository={repository} isOwner={isOwner} />
  </SettingsFrame>
)

/** What a repository is. */
export const basicsForm = formOf({
  name: line(() => ({ label: texts.general.name, hint: texts.general.nameHint, required: true }), {
    limit: 100,
    refusals: ['name_invalid', 'repo_name_taken'],
  }),
  description: line(() => ({ label: texts.general.description, isProse: true }), { limit: 2048 }),
  website: line(() => ({ label: texts.general.website, type: 'url' }), { limit: 1024 }),
  topics: readBy(
    topicsIn,
    line(() => ({ label: texts.general.topics, hint: texts.general.topicsHint }), {
      refusals: ['topic', 'too_many_topics'],
    }),
  ),
  default_branch: line(() => ({ label: texts.general.defaultBranch, required: true }), {
    limit: 100,
    as: 'defaultBranch',
    refusals: ['branch_name'],
  }),
  template: box(() => ({ label: texts.general.template, hint: texts.general.templateHint }), { as: 'isTemplate' }),
})

const Basics = ({ repository, topics }: Pick<GeneralProps, 'repository' | 'topics'>) => (
  <Form isEdit to={settingsPath(repository)} class="stack">
    {Object.values(
      basicsForm.show({ ...repository.repo, topics: topics.join(', '), template: repository.repo.is_template }),
    )}
    <SubmitRow>{texts.save}</SubmitRow>
  </Form>
)

/** Parts of a repository. */
export const unitsForm = formOf(boxes(texts.units.boxes))

/** What the issues of a repository have. */
export const issuesForm = formOf(boxes(texts.units.issueBoxes))

/** A tracker of issues elsewhere. */
export const trackerForm = formOf({
  external_tracker_url: line(() => ({ label: texts.units.externalTrackerUrl, type: 'url' })),
  external_tracker_format: line(() => ({
    label: texts.units.externalTrackerFormat,
    hint: texts.units.externalTrackerFormatHint,
  })),
  external_tracker_style: select(() => ({
    label: texts.units.externalTrackerStyle,
    value: 'numeric',
    choices: choicesOf(texts.units.trackerStyles),
  })),
  external_tracker_regexp_pattern: line(() => ({ label: texts.units.externalTrackerPattern })),
})

const Units = ({ repository, units }: Pick<GeneralProps, 'repository' | 'units'>) => {
  const has = (...names: readonly string[]) => units.some(({ unit }) => names.includes(unit))
  const tracker = unitConfig(units, 'ext_issues')
  const wiki = unitConfig(units, 'ext_wiki')
  const wikiUnit = units.find(({ unit }) => unit === 'wiki')
  const parts = unitsForm.show({
    has_issues: has('issues', 'ext_issues'),
    has_pull_requests: has('pulls'),
    has_wiki: has('wiki', 'ext_wiki'),
    globally_editable_wiki: (wikiUnit?.default_access ?? 0) > 0,
    has_releases: has('releases'),
    has_packages: has('packages'),
    has_actions: has('actions'),
    has_projects: has('projects'),
  })
  const tracking = trackerForm.show(tracker)
  return (
    <Section title={texts.units.heading} id="units">
      <Form isEdit to={settingsPath(repository, 'units')} class="stack tight">
        {parts.has_issues}
        <div class="nested stack tight">
          {Object.values(issuesForm.show(unitConfig(units, 'issues')))}
          <details class="more-options" open={tracker !== undefined}>
            <summary>{texts.units.externalTracker}</summary>
            <div class="stack">
              {tracking.external_tracker_url}
              {tracking.external_tracker_format}
              <div class="fields-row">
                {tracking.external_tracker_style}
                {tracking.external_tracker_regexp_pattern}
              </div>
            </div>
          </details>
        </div>
        {parts.has_pull_requests}
        {parts.has_wiki}
        <div class="nested stack tight">
          {parts.globally_editable_wiki}
          <Field
            name="wiki_branch"
            label={texts.units.wikiBranch}
            value={repository.repo.wiki_branch}
            isTerse
            maxlength={100}
          />
          <details class="more-options" open={wiki !== undefined}>
            <summary>{texts.units.externalWiki}</summary>
            <Field
              name="external_wiki_url"
              label={texts.units.externalWikiUrl}
              type="url"
              value={wiki?.external_wiki_url}
            />
          </details>
        </div>
        {parts.has_releases}
        {parts.has_packages}
        {parts.has_actions}
        {parts.has_projects}
        <SubmitRow kind="plain">{texts.save}</SubmitRow>
      </Form>
    </Section>
  )
}

/** How pull requests are merged. */
export const mergingForm = formOf({
  ...boxes(texts.merging.allow),
  ...boxes(texts.merging.options),
  default_merge_style: readBy(
    oneOf(mergeStyles),
    select(() => ({ label: texts.merging.defaultStyle, choices: choicesOf(texts.merging.styleNames) })),
  ),
  default_update_style: readBy(
    oneOf(['merge', 'rebase']),
    select(() => ({ label: texts.merging.defaultUpdate, choices: choicesOf(texts.merging.updateNames) })),
  ),
})

/** Returns the controls of the boxes with these labels. */
const boxesIn = <Name extends string>(
  labels: Readonly<Record<Name, string>>,
  fields: Readonly<Record<NoInfer<Name>, VNode>>,
) => (Object.keys(labels) as Name[]).map((name) => fields[name])

const Merging = ({ repository, units }: Pick<GeneralProps, 'repository' | 'units'>) => {
  const pulls = unitConfig(units, 'pulls')
  if (pulls === undefined) return null
  const fields = mergingForm.show(pulls)
  return (
    <Section title={texts.merging.heading} id="merging">
      <Form isEdit to={settingsPath(repository, 'merging')} class="stack">
        <fieldset>
          <legend>{texts.merging.styles}</legend>
          <div class="choices-row">{boxesIn(texts.merging.allow, fields)}</div>
        </fieldset>
        <div class="fields-row">
          {fields.default_merge_style}
          {fields.default_update_style}
        </div>
        <div class="stack tight">{boxesIn(texts.merging.options, fields)}</div>
        <SubmitRow kind="plain">{texts.save}</SubmitRow>
      </Form>
    </Section>
  )
}

/** How a mirror follows its source. */
export const mirrorForm = formOf({
  mirror_interval: line(
    () => ({ label: texts.mirror.interval, hint: texts.mirror.intervalHint, required: true, isTerse: true }),
    { as: 'interval', refusals: ['mirror_interval', 'interval'] },
  ),
  enable_prune: box(() => ({ label: texts.mirror.prune, hint: texts.mirror.pruneHint }), { as: 'prunes' }),
})

const Mirror = ({ repository, mirror }: Pick<GeneralProps, 'repository'> & { readonly mirror: MirrorSettings }) => (
  <Section title={texts.mirror.heading} id="mirror">
    <div class="line">
      <p>
        {mirror.syncedUnix === 0 ? (
          texts.mirror.never
        ) : (
          <>
            {texts.mirror.last}
            <Time unix={mirror.syncedUnix} />
          </>
        )}
      </p>
      <ActButton to={settingsPath(repository, 'mirror', 'sync')} icon="sync">
        {texts.mirrors.fetch}
      </ActButton>
    </div>
    {mirror.lastError === '' ? null : (
      <Flash tone="warning">{sentenceOf(texts.mirror.failed(inReadersWords(mirror.lastError)))}</Flash>
    )}
    <Form isEdit to={settingsPath(repository, 'mirror')} class="stack">
      {Object.values(mirrorForm.show({ mirror_interval: mirror.interval, enable_prune: mirror.prunes }))}
      <SubmitRow kind="plain">{texts.save}</SubmitRow>
    </Form>
  </Section>
)

const Danger = ({ repository, isOwner }: Pick<GeneralProps, 'repository' | 'isOwner'>) => {
  const { repo } = repository
  return (
    <Section title={texts.danger.heading} id="danger">
      <Box class="danger-zone">
        <ul class="rows">
          <DangerRow lead={repo.is_private ? texts.danger.makePublicLead : texts.danger.makePrivateLead}>
            <ActButton
              to={settingsPath(repository, 'visibility')}
              kind="danger"
              hidden={{ private: !repo.is_private }}
              confirm={repo.is_private ? texts.danger.makePublicLead : texts.danger.makePrivateLead}
            >
              {repo.is_private ? texts.danger.makePublic : texts.danger.makePrivate}
            </ActButton>
          </DangerRow>
          {repo.is_mirror ? null : (
            <DangerRow lead={repo.is_archived ? texts.danger.unarchiveLead : texts.danger.archiveLead}>
              <ActButton
                to={settingsPath(repository, 'archive')}
                kind={repo.is_archived ? 'plain' : 'danger'}
                hidden={{ archived: !repo.is_archived }}
              >
                {repo.is_archived ? texts.danger.unarchive : texts.danger.archive}
              </ActButton>
            </DangerRow>
          )}
          {isOwner ? <OwnerActs repository={repository} /> : null}
        </ul>
      </Box>
      {isOwner ? null : <p class="hint">{texts.danger.ownerOnly}</p>}
    </Section>
  )
}

const DangerRow = ({ lead, children }: { readonly lead: string; readonly children: ComponentChildren }) => (
  <li class="row">
    <p class="row-main">{lead}</p>
    {children}
  </li>
)

const OwnerActs = ({ repository }: Pick<GeneralProps, 'repository'>) => {
  const { repo } = repository
  return (
    <>
      <li class="row">
        <div class="row-main stack tight">
          <p>{texts.danger.transferLead}</p>
          {repo.has_transfer ? (
            <Flash tone="info">{texts.danger.pendingLead}</Flash>
          ) : (
            <Form to={settingsPath(repository, 'transfer')} class="fields-row">
              <Field name="new_owner" label={texts.danger.newOwner} required />
              <Field name="confirm_transfer" label={texts.danger.confirmName(repo.name)} required autocomplete="off" />
              <Submit kind="danger">{texts.danger.transfer}</Submit>
            </Form>
          )}
        </div>
      </li>
      <li class="row">
        <div class="row-main stack tight">
          <p>{texts.danger.deleteLead}</p>
          <Form to={settingsPath(repository, 'delete')} class="fields-row">
            <Field name="confirm_delete" label={texts.danger.confirmName(repo.name)} required autocomplete="off" />
            <Submit kind="danger">{texts.danger.delete}</Submit>
          </Form>
        </div>
      </li>
    </>
  )
}

import type { ComponentChildren } from 'preact'
import type { RepoUnitRow } from '../../../db/tables/repositories.ts'
import type { MirrorSettings } from '../../../repos/mirrors/mirror.service.ts'
import { unitConfig } from '../../../repos/unit-config.ts'
import { sentenceOf } from '../../shell/sentence.ts'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Checkbox, Field, Select } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Box, Flash } from '../../ui/parts.tsx'
import { RepositoryPicture } from '../../ui/repository-picture.tsx'
import { Time } from '../../ui/time.tsx'
import { pictureTexts } from '../../languages/texts.ts'
import { PictureSection } from '../../shared/pictures/picture.view.tsx'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'

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

const Basics = ({ repository, topics }: Pick<GeneralProps, 'repository' | 'topics'>) => {
  const { repo } = repository
  const texts = repositorySettingsTexts.general
  return (
    <Form isEdit to={settingsPath(repository)} class="stack">
      <Field name="name" label={texts.name} value={repo.name} hint={texts.nameHint} required maxlength={100} />
      <Field name="description" label={texts.description} value={repo.description} maxlength={2048} isProse />
      <Field name="website" label={texts.website} value={repo.website} type="url" maxlength={1024} />
      <Field name="topics" label={texts.topics} value={topics.join(', ')} hint={texts.topicsHint} />
      <Field name="default_branch" label={texts.defaultBranch} value={repo.default_branch} required maxlength={100} />
      <Checkbox name="template" label={texts.template} hint={texts.templateHint} checked={repo.is_template} />
      <div class="form-acts">
        <Submit>{repositorySettingsTexts.save}</Submit>
      </div>
    </Form>
  )
}

const Units = ({ repository, units }: Pick<GeneralProps, 'repository' | 'units'>) => {
  const texts = repositorySettingsTexts.units
  const has = (...names: readonly string[]) => units.some(({ unit }) => names.includes(unit))
  const box = (name: keyof typeof texts.boxes, checked: boolean) => (
    <Checkbox name={name} label={texts.boxes[name]} checked={checked} />
  )
  const issues = unitConfig(units, 'issues')
  const tracker = unitConfig(units, 'ext_issues')
  const wiki = unitConfig(units, 'ext_wiki')
  const wikiUnit = units.find(({ unit }) => unit === 'wiki')
  return (
    <section class="section">
      <h2>{texts.heading}</h2>
      <Form isEdit to={settingsPath(repository, 'units')} class="stack tight">
        {box('has_issues', has('issues', 'ext_issues'))}
        <div class="nested stack tight">
          {entriesOf(texts.issueBoxes).map(([name, label]) => (
            <Checkbox name={name} label={label} checked={issues?.[name] ?? false} />
          ))}
          <details class="more-options" open={tracker !== undefined}>
            <summary>{texts.externalTracker}</summary>
            <div class="stack">
              <Field
                name="external_tracker_url"
                label={texts.externalTrackerUrl}
                type="url"
                value={tracker?.external_tracker_url}
              />
              <Field
                name="external_tracker_format"
                label={texts.externalTrackerFormat}
                hint={texts.externalTrackerFormatHint}
                value={tracker?.external_tracker_format}
              />
              <div class="fields-row">
                <Select
                  name="external_tracker_style"
                  label={texts.externalTrackerStyle}
                  value={tracker?.external_tracker_style ?? 'numeric'}
                  choices={entriesOf(texts.trackerStyles).map(([value, label]) => ({ value, label }))}
                />
                <Field
                  name="external_tracker_regexp_pattern"
                  label={texts.externalTrackerPattern}
                  value={tracker?.external_tracker_regexp_pattern}
                />
              </div>
            </div>
          </details>
        </div>
        {box('has_pull_requests', has('pulls'))}
        {box('has_wiki', has('wiki', 'ext_wiki'))}
        <div class="nested stack tight">
          {box('globally_editable_wiki', (wikiUnit?.default_access ?? 0) > 0)}
          <Field
            name="wiki_branch"
            label={texts.wikiBranch}
            value={repository.repo.wiki_branch}
            isTerse
            maxlength={100}
          />
          <details class="more-options" open={wiki !== undefined}>
            <summary>{texts.externalWiki}</summary>
            <Field name="external_wiki_url" label={texts.externalWikiUrl} type="url" value={wiki?.external_wiki_url} />
          </details>
        </div>
        {box('has_releases', has('releases'))}
        {box('has_packages', has('packages'))}
        {box('has_actions', has('actions'))}
        {box('has_projects', has('projects'))}
        <div class="form-acts">
          <Submit kind="plain">{repositorySettingsTexts.save}</Submit>
        </div>
      </Form>
    </section>
  )
}

const entriesOf = <Key extends string>(values: Readonly<Record<Key, string>>) =>
  Object.entries(values) as unknown as readonly (readonly [Key, string])[]

const Merging = ({ repository, units }: Pick<GeneralProps, 'repository' | 'units'>) => {
  const texts = repositorySettingsTexts.merging
  const pulls = unitConfig(units, 'pulls')
  if (pulls === undefined) return null
  return (
    <section class="section">
      <h2>{texts.heading}</h2>
      <Form isEdit to={settingsPath(repository, 'merging')} class="stack">
        <fieldset>
          <legend>{texts.styles}</legend>
          <div class="choices-row">
            {entriesOf(texts.allow).map(([name, label]) => (
              <Checkbox name={name} label={label} checked={pulls[name]} />
            ))}
          </div>
        </fieldset>
        <div class="fields-row">
          <Select
            name="default_merge_style"
            label={texts.defaultStyle}
            value={pulls.default_merge_style}
            choices={entriesOf(texts.styleNames).map(([value, label]) => ({ value, label }))}
          />
          <Select
            name="default_update_style"
            label={texts.defaultUpdate}
            value={pulls.default_update_style}
            choices={entriesOf(texts.updateNames).map(([value, label]) => ({ value, label }))}
          />
        </div>
        <div class="stack tight">
          {entriesOf(texts.options).map(([name, label]) => (
            <Checkbox name={name} label={label} checked={pulls[name]} />
          ))}
        </div>
        <div class="form-acts">
          <Submit kind="plain">{repositorySettingsTexts.save}</Submit>
        </div>
      </Form>
    </section>
  )
}

const Mirror = ({ repository, mirror }: Pick<GeneralProps, 'repository'> & { readonly mirror: MirrorSettings }) => {
  const texts = repositorySettingsTexts.mirror
  return (
    <section class="section" id="mirror">
      <h2>{texts.heading}</h2>
      <div class="line">
        <p>
          {mirror.syncedUnix === 0 ? (
            texts.never
          ) : (
            <>
              {texts.last}
              <Time unix={mirror.syncedUnix} />
            </>
          )}
        </p>
        <ActButton to={settingsPath(repository, 'mirror', 'sync')} icon="sync">
          {repositorySettingsTexts.mirrors.fetch}
        </ActButton>
      </div>
      {mirror.lastError === '' ? null : <Flash tone="warning">{sentenceOf(texts.failed(mirror.lastError))}</Flash>}
      <Form isEdit to={settingsPath(repository, 'mirror')} class="stack">
        <Field
          name="mirror_interval"
          label={texts.interval}
          hint={texts.intervalHint}
          value={mirror.interval}
          required
          isTerse
        />
        <Checkbox name="enable_prune" label={texts.prune} hint={texts.pruneHint} checked={mirror.prunes} />
        <div class="form-acts">
          <Submit kind="plain">{repositorySettingsTexts.save}</Submit>
        </div>
      </Form>
    </section>
  )
}

const Danger = ({ repository, isOwner }: Pick<GeneralProps, 'repository' | 'isOwner'>) => {
  const texts = repositorySettingsTexts.danger
  const { repo } = repository
  return (
    <section class="section">
      <h2>{texts.heading}</h2>
      <Box class="danger-zone">
        <ul class="rows">
          <DangerRow lead={repo.is_private ? texts.makePublicLead : texts.makePrivateLead}>
            <ActButton
              to={settingsPath(repository, 'visibility')}
              kind="danger"
              hidden={{ private: !repo.is_private }}
              confirm={repo.is_private ? texts.makePublicLead : texts.makePrivateLead}
            >
              {repo.is_private ? texts.makePublic : texts.makePrivate}
            </ActButton>
          </DangerRow>
          {repo.is_mirror ? null : (
            <DangerRow lead={repo.is_archived ? texts.unarchiveLead : texts.archiveLead}>
              <ActButton
                to={settingsPath(repository, 'archive')}
                kind="danger"
                hidden={{ archived: !repo.is_archived }}
              >
                {repo.is_archived ? texts.unarchive : texts.archive}
              </ActButton>
            </DangerRow>
          )}
          {isOwner ? <OwnerActs repository={repository} /> : null}
        </ul>
      </Box>
      {isOwner ? null : <p class="hint">{texts.ownerOnly}</p>}
    </section>
  )
}

const DangerRow = ({ lead, children }: { readonly lead: string; readonly children: ComponentChildren }) => (
  <li class="row">
    <p class="row-main">{lead}</p>
    {children}
  </li>
)

const OwnerActs = ({ repository }: Pick<GeneralProps, 'repository'>) => {
  const texts = repositorySettingsTexts.danger
  const { repo } = repository
  return (
    <>
      <li class="row">
        <div class="row-main stack tight">
          <p>{texts.transferLead}</p>
          {repo.has_transfer ? (
            <Flash tone="info">{texts.pendingLead}</Flash>
          ) : (
            <Form to={settingsPath(repository, 'transfer')} class="fields-row">
              <Field name="new_owner" label={texts.newOwner} required />
              <Field name="confirm_transfer" label={texts.confirmName(repo.name)} required autocomplete="off" />
              <Submit kind="danger">{texts.transfer}</Submit>
            </Form>
          )}
        </div>
      </li>
      <li class="row">
        <div class="row-main stack tight">
          <p>{texts.deleteLead}</p>
          <Form to={settingsPath(repository, 'delete')} class="fields-row">
            <Field name="confirm_delete" label={texts.confirmName(repo.name)} required autocomplete="off" />
            <Submit kind="danger">{texts.delete}</Submit>
          </Form>
        </div>
      </li>
    </>
  )
}

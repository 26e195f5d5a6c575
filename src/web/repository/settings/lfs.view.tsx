import type { ComponentChildren } from 'preact'
import type { LfsObjectRow } from '../../../db/tables/lfs.ts'
import type { OwnedLock } from '../../../lfs/locks/lock.service.ts'
import type { Page } from '../../../lib/paging.ts'
import { RemoveButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Box, Commands, Empty, Pages, Tabs } from '../../ui/parts.tsx'
import { withQuery } from '../../ui/paths.ts'
import { Person } from '../../ui/person.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { durationText, Time } from '../../ui/time.tsx'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = repositorySettingsTexts.lfs

/** Characters of an object id that tell objects apart. */
const shownIdLength = 16

const LfsFrame = ({
  repository,
  isLocks,
  children,
}: {
  readonly repository: SettingsRepository
  readonly isLocks: boolean
  readonly children: ComponentChildren
}) => (
  <SettingsFrame repository={repository} part="lfs" lead={texts.lead}>
    <Tabs
      label={texts.parts}
      tabs={[
        { label: texts.objects, to: settingsPath(repository, 'lfs'), isCurrent: !isLocks },
        { label: texts.locks, to: settingsPath(repository, 'lfs', 'locks'), isCurrent: isLocks },
      ]}
    />
    <div class="stack">{children}</div>
  </SettingsFrame>
)

/** The large files of a repository. */
export const ObjectsView = ({
  repository,
  objects,
  total,
  page,
  keptMs,
}: {
  readonly repository: SettingsRepository
  readonly objects: readonly LfsObjectRow[]
  readonly total: number
  readonly page: Page
  /** How long the server keeps what no commit needs, in milliseconds; undefined: for ever. */
  readonly keptMs: number | undefined
}) => (
  <LfsFrame repository={repository} isLocks={false}>
    {total === 0 ? (
      <Box>
        <Empty icon="package" title={texts.noObjects}>
          <p>{texts.noObjectsLead}</p>
          <Commands text={texts.commands} label={texts.commandsLabel} />
        </Empty>
      </Box>
    ) : (
      <>
        <p class="muted">
          {texts.objectsLead(sizeText(repository.repo.lfs_size_bytes))}{' '}
          {keptMs === undefined ? null : texts.cleanup(durationText(keptMs / 1000))}
        </p>
        <RowBox rows={objects}>
          {(object) => (
            <li class="row">
              <Icon name="database" class="muted" />
              <div class="row-main">
                <code title={object.oid}>{object.oid.slice(0, shownIdLength)}</code>
              </div>
              <div class="row-side">
                <span>
                  {texts.stored} <Time unix={object.created_unix} />
                </span>
                <strong class="nowrap">{sizeText(object.size_bytes)}</strong>
              </div>
            </li>
          )}
        </RowBox>
        <Pages page={page.number} total={total} pageSize={page.limit} />
      </>
    )}
  </LfsFrame>
)

/** The locked files of a repository. */
export const LocksView = ({
  repository,
  locks,
  nextCursor,
  isFirst,
  fixed,
}: {
  readonly repository: SettingsRepository
  readonly locks: readonly OwnedLock[]
  readonly nextCursor: string | undefined
  readonly isFirst: boolean
  /** Why nobody may unlock a file. */
  readonly fixed: string | undefined
}) => {
  const at = settingsPath(repository, 'lfs', 'locks')
  return (
    <LfsFrame repository={repository} isLocks>
      <p class="muted">{texts.locksLead}</p>
      <RowBox
        rows={locks}
        empty={
          <Empty icon="lock" title={texts.noLocks}>
            <p>{texts.noLocksLead}</p>
            <Commands text={texts.lockCommand} label={texts.lockCommand} />
          </Empty>
        }
      >
        {(each) => <Lock {...each} at={at} fixed={fixed} />}
      </RowBox>
      {isFirst && nextCursor === undefined ? null : (
        <div class="acts">
          {isFirst ? null : <ButtonLink to={at}>{texts.first}</ButtonLink>}
          {nextCursor === undefined ? null : (
            <ButtonLink to={withQuery(at, { cursor: nextCursor })}>{texts.further}</ButtonLink>
          )}
        </div>
      )}
    </LfsFrame>
  )
}

const Lock = ({ lock, owner, at, fixed }: OwnedLock & { readonly at: string; readonly fixed: string | undefined }) => {
  const isOwn = usePage().viewer?.id === owner.id
  return (
    <li class="row">
      <Icon name="lock" class="muted" />
      <div class="row-main">
        <code class="row-title">{lock.path}</code>
        <p class="row-facts">
          <Person person={owner} />
          <span>
            {texts.locked} <Time unix={lock.created_unix} />
          </span>
        </p>
      </div>
      <RemoveButton
        to={`${at}/unlock`}
        hidden={{ id: lock.id }}

        disabledBecause={fixed}
        label={texts.unlockOf(lock.path)}
        confirm={isOwn ? texts.unlockOwnConfirm(lock.path) : texts.unlockConfirm(lock.path, owner.name)}
      >
        {texts.unlock}
      </RemoveButton>
    </li>
  )
}

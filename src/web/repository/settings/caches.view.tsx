import type { ActionCacheRow } from '../../../db/tables/action-storage.ts'
import type { Page } from '../../../lib/paging.ts'
import { ActButton, DeleteButton, Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Box, Pages, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { sizeText } from '../../languages/amounts.ts'
import { uiTexts as common } from '../../languages/texts.ts'
import { Time } from '../../ui/time.tsx'
import { Section } from '../../ui/section.tsx'
import { SettingsFrame, settingsPath, type SettingsRepository } from './frame.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'

const texts = repositorySettingsTexts.actions

/** Whether workflows run, and the caches of their jobs. */
export const ActionsView = ({
  repository,
  caches,
  total,
  page,
  key,
  isOn,
}: {
  readonly repository: SettingsRepository
  readonly caches: readonly ActionCacheRow[]
  readonly total: number
  readonly page: Page
  /** The beginning of the keys that are shown. */
  readonly key: string | undefined
  readonly isOn: boolean
}) => {
  const at = settingsPath(repository, 'actions', 'general')
  return (
    <SettingsFrame repository={repository} part="actions" lead={texts.lead}>
      <Box>
        <ul class="rows">
          <li class="row">
            <div class="row-main">
              <p class="line">
                <strong>{texts.workflows}</strong>
                <Tag tone={isOn ? 'good' : 'neutral'}>{isOn ? texts.on : texts.off}</Tag>
              </p>
              <p class="row-facts">{isOn ? texts.onLead : texts.offLead}</p>
            </div>
            <div class="acts">
              {isOn ? (
                <ButtonLink to={pathOf(repository.owner.name, repository.repo.name, 'actions')}>
                  {texts.runs}
                </ButtonLink>
              ) : null}
              <ActButton to={at} hidden={{ has_actions: !isOn }} kind={isOn ? 'plain' : 'primary'}>
                {isOn ? texts.switchOff : texts.switchOn}
              </ActButton>
            </div>
          </li>
        </ul>
      </Box>
      <Section title={texts.caches} id="caches" lead={texts.cachesLead}>
        <div class="stack">
          {total === 0 && key === undefined ? (
            <p class="muted">{texts.noCaches}</p>
          ) : (
            <Form to={at} method="get" role="search" class="fields-row">
              <Field
                name="key"
                label={texts.keyFilter}
                isLabelHidden
                type="search"
                value={key}
                placeholder={texts.keyFilter}
              />
              <Submit kind="plain">{texts.filter}</Submit>
            </Form>
          )}
          {total === 0 && key !== undefined ? (
            <p class="muted">
              {texts.noneFound} <Link to={at}>{texts.showAll}</Link>
            </p>
          ) : null}
          <RowBox rows={caches}>
            {(cache) => (
              <li class="row">
                <Icon name="archive" class="muted" />
                <div class="row-main">
                  <code class="row-title">{cache.cache_key}</code>
                  <p class="row-facts">
                    <span>{sizeText(cache.size_bytes)}</span>
                    <code>{cache.scope}</code>
                    <span>
                      {texts.lastUsed}
                      <Time unix={cache.used_unix} />
                    </span>
                  </p>
                </div>
                <DeleteButton
                  to={settingsPath(repository, 'actions', 'caches', 'delete')}
                  hidden={{ id: cache.id }}

                  label={texts.deleteCache(cache.cache_key)}
                  confirm={texts.deleteCacheConfirm(cache.cache_key)}
                >
                  {common.delete}
                </DeleteButton>
              </li>
            )}
          </RowBox>
          <Pages page={page.number} total={total} pageSize={page.limit} />
        </div>
      </Section>
    </SettingsFrame>
  )
}

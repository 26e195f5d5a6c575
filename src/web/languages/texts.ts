import { isValidElement } from 'preact'
import { english } from './en/index.ts'
import { languages } from './languages.ts'
import { readerLanguage } from './reader.ts'
import type { Texts } from './translation.ts'

type Tree = { readonly [name: string]: unknown }

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isValidElement(value)

/**
 * Returns texts that are read in the language of the reader, each time that one is read.
 * @param shape the names of the texts
 * @param of returns the texts of a language
 */
function bound(shape: Tree, of: (language: string) => Tree): Tree {
  const texts = {}
  // Requests of readers of one language follow each other.
  let last: { readonly language: string; readonly texts: Tree } | undefined
  const textsOf = (language: string): Tree => {
    if (last?.language !== language) last = { language, texts: of(language) }
    return last.texts
  }
  for (const [name, value] of Object.entries(shape)) {
    Object.defineProperty(texts, name, {
      enumerable: true,
      ...(isTree(value)
        ? { value: bound(value, (language) => textsOf(language)[name] as Tree) }
        : { get: () => textsOf(readerLanguage())[name] }),
    })
  }
  return texts
}

/** The texts of pages. */
export const {
  actionsTexts,
  administrationTexts,
  apiTexts,
  auditTexts,
  blockedTexts,
  boardTexts,
  cleanupTexts,
  codeSearchTexts,
  codeTexts,
  commitMarkTexts,
  diffTexts,
  entryTexts,
  exploreTexts,
  frameTexts,
  galleryTexts,
  homeTexts,
  hookTexts,
  invitationTexts,
  issueTexts,
  labelTexts,
  listTexts,
  memberTexts,
  milestoneTexts,
  mineTexts,
  newOrganizationTexts,
  newRepositoryTexts,
  notificationTexts,
  organizationSettingsTexts,
  organizationTexts,
  packageTexts,
  pictureTexts,
  profileTexts,
  pullMarkTexts,
  pullTexts,
  quotaTexts,
  releaseTexts,
  repositorySettingsTexts,
  rewriteTexts,
  searchTexts,
  secretTexts,
  settingsTexts,
  shellTexts,
  sourceTexts,
  storageTexts,
  teamTexts,
  timelineTexts,
  transferTexts,
  uiTexts,
  wikiTexts,
} = bound(english, (language) => languages.get(language) ?? english) as unknown as Texts

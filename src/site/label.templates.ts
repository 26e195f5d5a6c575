/** A label of a set for new repositories and organizations; `color` is six hexadecimal digits without `#`. */
export interface LabelTemplateItem {
  readonly name: string
  readonly color: string
  readonly description: string
  /** Whether an issue has at most one label of the scope (the part before the last `/`). */
  readonly exclusive: boolean
}

const label = (name: string, color: string, description: string, exclusive = false): LabelTemplateItem => ({
  name,
  color,
  description,
  exclusive,
})

/** Recorded replies contain the descriptions of the first set; those of the second are ours. */
const sets: ReadonlyMap<string, readonly LabelTemplateItem[]> = new Map([
  [
    'Default',
    [
      label('bug', 'ee0701', 'Something is not working'),
      label('duplicate', 'cccccc', 'This issue or pull request already exists'),
      label('enhancement', '84b6eb', 'New feature'),
      label('help wanted', '128a0c', 'Need some help'),
      label('invalid', 'e6e6e6', 'Something is wrong'),
      label('question', 'cc317c', 'More information is needed'),
      label('wontfix', 'ffffff', "This won't be fixed"),
    ],
  ],
  [
    'Advanced',
    [
      label('Kind/Breaking', 'b3261e', 'What worked before will not work after it', false),
      label('Kind/Bug', 'ee0701', 'It does not do what it should', false),
      label('Kind/Documentation', '3d5a80', 'About the words, not the program', false),
      label('Kind/Enhancement', '84b6eb', 'Makes an existing ability better', false),
      label('Kind/Feature', '1d76db', 'A new ability', false),
      label('Kind/Security', '8e24aa', 'Touches the safety of users or data', false),
      label('Kind/Testing', '8d6e63', 'About tests and how they run', false),
      label('Priority/Critical', '9b1c1c', 'Everything else waits for it', true),
      label('Priority/High', 'd93f0b', 'Belongs into the next release', true),
      label('Priority/Medium', 'fbca04', 'Wanted soon', true),
      label('Priority/Low', '5aa469', 'Good to have some day', true),
      label('Reviewed/Confirmed', '6d8b74', 'Somebody else saw it too', true),
      label('Reviewed/Duplicate', '7a7a7a', 'Another issue is about the same', true),
      label('Reviewed/Invalid', '607080', 'It does not belong here or is mistaken', true),
      label("Reviewed/Won't Fix", 'e0e0e0', 'Looked at, and left as it is', true),
      label('Status/Abandoned', '303030', 'Nobody works on it any more', true),
      label('Status/Blocked', '7b1e3a', 'Something else has to happen first', true),
      label('Status/Need More Info', '4f5b66', 'The author has to tell more', true),
    ],
  ],
])

/** Returns the names of the label sets (`listLabelTemplates`). */
export const listLabelTemplateNames = (): readonly string[] => [...sets.keys()]

/** Returns the labels of a set in order; undefined for an unknown name. */
export const findLabelTemplate = (name: string): readonly LabelTemplateItem[] | undefined => sets.get(name)

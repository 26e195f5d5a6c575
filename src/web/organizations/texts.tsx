/** Texts of the form for a new organization. */
export const texts = {
  title: 'New organization',
  lead: 'An organization owns repositories that a team works on together.',
  name: 'Name',
  nameHint: 'Letters, digits, dots, dashes and underscores. It is part of the address of each repository.',
  fullName: 'Full name',
  description: 'Description',
  visibility: 'Who can see it',
  visibilities: {
    public: { label: 'Everybody', hint: 'Also guests.' },
    limited: { label: 'Signed-in people', hint: 'Guests do not see it.' },
    private: { label: 'Members', hint: 'Others do not learn that it exists.' },
  },
  create: 'Create the organization',
}

/** Whether an attribute is a mark that a campaign sets. It says nothing about the contact. */
export const isCampaignAttribute = (name: string): boolean => name.startsWith('sent:');

import { rows, testPlaces } from '../../hostileJson';
import { mapped } from './syncNode';

testPlaces([
	[
		'contact sync',
		'Attributes',
		(value) => mapped({ phone: '+4915123456789' }, { attributes: rows(value) }),
	],
	[
		'contact sync',
		'Attribute: plan',
		(value) => mapped({ phone: '+4915123456789', 'attributes.plan': value }),
	],
	['contact sync', 'Name', (value) => mapped({ phone: '+4915123456789', name: value })],
]);

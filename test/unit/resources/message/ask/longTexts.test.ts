import { isApproval } from '../../../../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { testLongTexts } from '../../../../support/longTextTests';

testLongTexts({
	isApproval: (long) => isApproval(long, ['yes', 'ok']),
	'isApproval, as word': (long) => isApproval('yes', [long]),
});

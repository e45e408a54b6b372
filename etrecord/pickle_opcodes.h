// The opcodes that torch.save and ExecuTorch's exporter write, protocols 2 to 5. Internal to this room.
#pragma once

#include <cstdint>

namespace et::etrecord {

enum class PickleOp : uint8_t {
  Protocol = 0x80,     // u8: the version of what follows
  Frame = 0x95,        // u64: length of the next part, only a hint
  Stop = 0x2e,         // the top of the stack is the result
  Mark = 0x28,         // remembers the stack's height
  Pop = 0x30,          // drops the top, or the mark if it is there
  PopMark = 0x31,      // drops everything above the mark
  None = 0x4e,         //
  True = 0x88,         //
  False = 0x89,        //
  Int8 = 0x4b,         // u8
  Int16 = 0x4d,        // u16
  Int32 = 0x4a,        // i32
  Long8 = 0x8a,        // u8 length, then a little-endian integer of so many bytes
  Long32 = 0x8b,       // likewise, u32 length
  Float = 0x47,        // a double, big endian
  Text8 = 0x8c,        // u8 length, then UTF-8
  Text32 = 0x58,       // likewise, u32 length
  Text64 = 0x8d,       // likewise, u64 length
  Bytes8 = 0x43,       // u8 length, then bytes
  Bytes32 = 0x42,      // likewise, u32 length
  Bytes64 = 0x8e,      // likewise, u64 length
  EmptyDict = 0x7d,    //
  EmptyList = 0x5d,    //
  EmptyTuple = 0x29,   //
  Tuple1 = 0x85,       // a tuple of the top object
  Tuple2 = 0x86,       // of the top two
  Tuple3 = 0x87,       // of the top three
  Tuple = 0x74,        // a tuple of everything above the mark
  List = 0x6c,         // a list of it
  Dict = 0x64,         // a dict of it: key, value, key, value
  Append = 0x61,       // the top to the list below it
  Appends = 0x65,      // everything above the mark to the list below it
  SetItem = 0x73,      // key and value on top into the dict below them
  SetItems = 0x75,     // everything above the mark into the dict below it
  Put8 = 0x71,         // u8: remembers the top under this number
  Put32 = 0x72,        // likewise, u32
  PutNext = 0x94,      // likewise, the next number
  Get8 = 0x68,         // u8: pushes what is remembered under this number
  Get32 = 0x6a,        // likewise, u32
  Global = 0x63,       // two lines: module and name of a class or function
  StackGlobal = 0x93,  // likewise, two strings from the stack
  Persistent = 0x51,   // a storage for the tuple on top that describes it
  Call = 0x52,         // calls the global below the tuple of arguments on top
  SetState = 0x62,     // the top is the state of the object below it
  Instance = 0x69,     // two lines that name a class: refused
};

}  // namespace et::etrecord
